/**
 * A listener is an HTTP server at one port of the local process. It speaks HTTP/1.1 and HTTP/2 with prior knowledge,
 * and converts the requests of both protocols to plain data.
 */
import { createServer as createHttp1, STATUS_CODES, type Server as Http1Server } from "node:http";
import {
  createServer as createHttp2,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { textResponse, NO_SNIFFING, type HttpRequest, type HttpResponse } from "../../shared/api/http/message.ts";
import { bindRefusal } from "../../shared/wiring/start-refusals.ts";
import type { ListenerBudgets } from "../../shared/wiring/embedded.ts";
import { ConnectionRoom, connectionsMax } from "./connection-room.ts";
import { AnswerRoom, type Admitted, type AnswerRules } from "./answer-room.ts";
import { endsOf, TransferRoom, type Incoming } from "./transfer-room.ts";
import {
  cutOff,
  endWhenUnread,
  hasBody,
  isStreamed,
  refuseBody,
  write,
  writeStreamed,
  type Outgoing,
} from "./http-answer.ts";
import { readRequest, type RequestRead } from "./http-request.ts";
import { isLoopbackAddress } from "../door/loopback.ts";
import type { Ends } from "../door/peer-user.ts";
import type { Duplex } from "node:stream";

export interface ListenerRooms extends ListenerBudgets, Omit<AnswerRules, "answer"> {
  /** Refuses a body for which no room became free. */
  readonly noBodyRoom: (request: HttpRequest) => HttpResponse;
  /** How long a body or an answer may stall while others wait for room; 10 seconds by default. */
  readonly stillMaxMs?: number;
}

export interface ListenerOptions {
  readonly host: string;
  /** With 0, the system chooses a free port. */
  readonly port: number;
  readonly bodyMaxBytes: number;
  /**
   * @param request the request without its body
   * @param declared whether a `content-length` announced the size
   */
  readonly tooLarge: (request: HttpRequest, declared: boolean) => HttpResponse;
  /** Answers a request before its body is read; undefined for a request that may go on. */
  readonly door?: (request: HttpRequest, ends: Ends) => HttpResponse | undefined;
  /** Requests that are read and answered at the same time; further ones are refused before their body is read. */
  readonly concurrency?: { readonly max: number; readonly refusal: (request: HttpRequest) => HttpResponse };
  /** If absent, no bytes are counted. */
  readonly rooms?: ListenerRooms;
  /** The answer to bytes that are no acceptable request, in the form of this listener; a text by default. */
  readonly malformed?: (status: number, message: string) => HttpResponse;
  /** The request line and the headers of a request together, in bytes; 64 KiB by default. */
  readonly headMaxBytes?: number;
  /** The connections at a time; by default as many as `connectionsMax` says. */
  readonly connectionsMax?: number;
  /** By default a minute for the head and five for the whole request; handlers have no limit here. */
  readonly arrival?: Partial<ArrivalLimits>;
  /** The promise never rejects. */
  readonly answer: (request: HttpRequest) => Promise<HttpResponse>;
}

interface Reading {
  readonly signal: AbortSignal;
  readonly goOn: (() => void) | undefined;
  /** Called when the request with its body is here. */
  readonly arrived: () => void;
}

const ALL_CONNECTIONS_BUSY =
  "every connection of this listener has a request (listeners.connections-limit), nothing was accepted: try again in a moment";
const HEAD_MAX_BYTES = 64 * 1024;
/** Each header has four bytes at least, so that the size limits the number. A limit by number would refuse or drop further headers. */
const HEADER_MIN_BYTES = 4;
/** The streams of one HTTP/2 connection; a client that needs more opens another connection. */
const CONCURRENT_STREAMS_MAX = 200;

/** @throws CodedError RT0004 */
export async function openListener(options: ListenerOptions): Promise<HttpListener> {
  const listener = new HttpListener(options);
  await listener.open();
  return listener;
}

export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Listens for both protocols, and applies its time limits to HTTP/1.1 connections. */
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #bodies: TransferRoom | undefined;
  readonly #answersRoom: TransferRoom | undefined;
  readonly #answers: AnswerRoom | undefined;
  #isClosing = false;
  #openRequests = 0;
  /** Requests that are being read or wait for their answer. */
  #unanswered = 0;
  readonly #unreadMs: number;
  readonly #connections: ConnectionRoom;
  readonly #malformed: (status: number, message: string) => HttpResponse;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { headWithinMs, requestWithinMs, checkEveryMs, idleMs, unreadMs } = { ...ARRIVAL, ...options.arrival };
    this.#unreadMs = unreadMs;
    const headMaxBytes = options.headMaxBytes ?? HEAD_MAX_BYTES;
    this.#connections = new ConnectionRoom(options.connectionsMax ?? connectionsMax());
    this.#malformed = options.malformed ?? textResponse;
    const { rooms, answer } = options;
    if (rooms !== undefined) {
      this.#bodies = new TransferRoom(rooms.bodies, rooms.stillMaxMs);
      this.#answersRoom = new TransferRoom(rooms.answers, rooms.stillMaxMs);
      this.#answers = new AnswerRoom(this.#answersRoom, { ...rooms, answer });
    }
    this.#http1 = createHttp1({
      keepAliveTimeout: idleMs,
      headersTimeout: headWithinMs,
      requestTimeout: requestWithinMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: headMaxBytes,
      // Node would refuse a request without a host without a body; `readRequest` refuses it.
      requireHostHeader: false,
    });
    this.#http1.maxHeadersCount = 0;
    this.#http2 = createHttp2({
      settings: { maxConcurrentStreams: CONCURRENT_STREAMS_MAX, maxHeaderListSize: headMaxBytes },
      maxHeaderListPairs: Math.ceil(headMaxBytes / HEADER_MIN_BYTES),
    });
    this.#http1.on("clientError", (error, socket) => {
      const { status, message } = refusalOf(error, headMaxBytes);
      // Node sets the answer that the socket carries, which is not in the types.
      const hasBegun = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
      refuseOnSocket(socket, hasBegun, this.#malformed(status, message));
    });
    for (const server of [this.#http1, this.#http2] as const) {
      server.on("request", (incoming: Incoming, outgoing: Outgoing) => void this.#serve(incoming, outgoing));
      // A client with `expect: 100-continue` gets its 100 only once its body is wanted.
      server.on(
        "checkContinue",
        (incoming: Incoming, outgoing: Outgoing) => void this.#serve(incoming, outgoing, true),
      );
      // Without this listener, Node answers an unknown expectation with 417 and no body; `readRequest` refuses it.
      server.on("checkExpectation", (incoming: Incoming, outgoing: Outgoing) => void this.#serve(incoming, outgoing));
    }
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      limitSession(session, { idleMs, requestWithinMs });
    });
    const onConnection = (socket: Socket): boolean => {
      if (!this.#connections.admit(socket)) {
        refuseOnSocket(socket, false, this.#malformed(503, ALL_CONNECTIONS_BUSY));
        return false;
      }
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      return true;
    };
    offerBothProtocols(this.#http1, this.#http2, onConnection, headWithinMs);
  }

  /** Requests without a complete answer. */
  get openRequests(): number {
    return this.#openRequests;
  }

  get port(): number {
    return this.#address.port;
  }

  /** Whether only processes of this machine can connect. The bound address decides this, whatever the settings name as host. */
  get isLoopback(): boolean {
    return isLoopbackAddress(this.#address.address);
  }

  get #address(): AddressInfo {
    return this.#http1.address() as AddressInfo;
  }

  open(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#http1.once("error", (error) => void bindRefusal(host, port, error).then(reject));
      this.#http1.listen(port, host, resolve);
    });
  }

  /** Refuses new connections; existing ones end with their next answer. */
  stopAccepting(): void {
    this.#isClosing = true;
    this.#http1.close();
    for (const session of this.#sessions) session.close();
  }

  /** Ends every connection, answered or not. */
  close(): void {
    if (!this.#isClosing) this.stopAccepting();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(incoming: Incoming, outgoing: Outgoing, asksToGoOn = false): Promise<void> {
    this.#openRequests += 1;
    this.#unanswered += 1;
    const gone = new AbortController();
    let isAnswered = false;
    const place = this.#connections.began(endsOf(incoming));
    outgoing.once("close", () => {
      place.ended();
      this.#openRequests -= 1;
      // After the answer nothing waits for the abort, which is expensive.
      if (!isAnswered) gone.abort();
    });
    incoming.once("error", () => gone.abort());
    try {
      const goOn = asksToGoOn ? () => outgoing.writeContinue() : undefined;
      const reading = { signal: gone.signal, goOn, arrived: place.arrived };
      const admitted = await this.#answered(incoming, outgoing, reading).finally(() => this.#unanswered--);
      isAnswered = admitted === undefined || !isStreamed(admitted.response);
      if (admitted !== undefined) this.#write(outgoing, admitted);
    } catch {
      // If an answer cannot be written, only the client notices, because its connection breaks.
      outgoing.destroy();
    }
  }

  /** @returns undefined if the request needs no further answer */
  async #answered(
    incoming: Incoming,
    outgoing: Outgoing,
    { signal, goOn, arrived }: Reading,
  ): Promise<Admitted | undefined> {
    const { bodyMaxBytes, answer } = this.#options;
    const refusal = (request: HttpRequest): HttpResponse | undefined => this.#outside(request, incoming);
    const rules = { bodyMaxBytes, room: this.#bodies, refusal };
    const read = await readRequest(incoming, rules, signal, goOn);
    if (read.kind === "broken") return undefined;
    // Without a body, the connection stays usable.
    if (read.kind === "refused" && !hasBody(incoming)) return { response: read.response };
    if (read.kind !== "read") {
      refuseBody(incoming, outgoing, this.#refusalOf(read));
      return undefined;
    }
    arrived();
    const { request, account } = read;
    const answered = answer(request);
    // The handling of the request refers to the body, so the body keeps its room until the answer.
    const response = account === undefined ? answered : answered.finally(() => account.close());
    const answers = this.#answers;
    if (answers === undefined) return { response: await response };
    // A promise chain, because `admit` may drop an answer that waits for room, and a waiting async frame would keep it in memory.
    return response.then((one) => answers.admit(incoming, request, one));
  }

  #refusalOf(read: Exclude<RequestRead, { kind: "read" | "broken" }>): HttpResponse {
    const { tooLarge, rooms } = this.#options;
    switch (read.kind) {
      case "two-hosts":
        return this.#malformed(400, "the request names two hosts");
      case "no-host":
        return this.#malformed(400, "the request names no host");
      case "unknown-coding":
        return this.#malformed(501, "the server accepts no transfer coding but chunked");
      case "unknown-expectation":
        return this.#malformed(417, "the server meets no expectation but 100-continue");
      case "refused":
        return read.response;
      case "too-large":
        return tooLarge(read.request, read.declared);
      case "no-room":
        return rooms!.noBodyRoom(read.request);
    }
  }

  #outside(request: HttpRequest, incoming: Incoming): HttpResponse | undefined {
    const { concurrency, door } = this.#options;
    const outside = door?.(request, endsOf(incoming));
    if (outside !== undefined) return outside;
    // A preflight is cheap, and the browser page behind it could not read a refusal.
    if (concurrency === undefined || this.#unanswered <= concurrency.max || request.method === "OPTIONS")
      return undefined;
    return concurrency.refusal(request);
  }

  #write(outgoing: Outgoing, { response, release }: Admitted): void {
    if (isStreamed(response))
      return void writeStreamed(outgoing, response, { isLast: this.#isClosing, unreadMs: this.#unreadMs });
    if (outgoing.destroyed) return release?.();
    const mover = release && this.#answersRoom?.mover(() => cutOff(outgoing));
    outgoing.once("close", () => {
      mover?.end();
      release?.();
    });
    const hasMore = write(outgoing, response, this.#isClosing, mover && (() => mover.moved()));
    endWhenUnread(outgoing, this.#unreadMs, hasMore);
  }
}

/** Answers on the socket itself: for bytes that Node's server could not read as a request, and for connections without a place. */
interface RawRefusal {
  readonly status: number;
  readonly message: string;
}

/** How long a refused client may take to read the answer. */
const LINGER_MS = 1000;

/** @param headMaxBytes the limit of the request line with the headers, for the message */
function refusalOf(error: Error & { readonly code?: string }, headMaxBytes: number): RawRefusal {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        message: `the request line and the headers have more than ${headMaxBytes} bytes together (listeners.headers-size-limit)`,
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        message: "the request did not arrive in time (listeners.head-timeout, listeners.request-timeout)",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "the extensions of the chunks are too large" };
    default:
      return { status: 400, message: "the bytes are no HTTP request" };
  }
}

/** Writes the answer and closes the connection. If an answer has begun, the connection only closes. */
function refuseOnSocket(socket: Duplex, hasBegun: boolean, response: HttpResponse): void {
  if (!socket.writable || hasBegun) return void socket.destroy();
  const { status, headers, body } = response;
  const all: Readonly<Record<string, string>> = {
    ...headers,
    ...NO_SNIFFING,
    date: new Date().toUTCString(),
    "content-length": String(body.length),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.on("error", () => undefined);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.end(body);
  // A close with unread bytes would discard the answer.
  socket.resume();
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(lingering));
}

/** The beginning of the client's HTTP/2 preface; no HTTP/1.1 method begins with it. */
const PREFACE = Buffer.from("PRI * HTTP/2.0");

/**
 * @param http1 the server that listens; its connections are inspected before it handles them
 * @param onConnection called for every connection of either protocol; false if it has refused the connection
 * @param silentMaxMs how long a new connection may send nothing
 */
function offerBothProtocols(
  http1: Http1Server,
  http2: Http2Server,
  onConnection: (socket: Socket) => boolean,
  silentMaxMs: number,
): void {
  const serveHttp1 = http1.listeners("connection");
  http1.removeAllListeners("connection");
  http1.on("connection", (socket: Socket) => {
    if (!onConnection(socket)) return;
    lookAtFirstBytes(socket, silentMaxMs, (isHttp2) => {
      if (isHttp2) {
        // HTTP/1.1 sockets may be half-open. An HTTP/2 client that ended its side has disconnected, and its requests
        // are over.
        socket.allowHalfOpen = false;
        http2.emit("connection", socket);
      } else for (const serve of serveHttp1) serve.call(http1, socket);
    });
  });
}

function lookAtFirstBytes(socket: Socket, silentMaxMs: number, decide: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const giveUp = (): void => void socket.destroy();
  const look = (): void => {
    const more = socket.read() as Buffer | null;
    if (more === null) return;
    seen = seen.length === 0 ? more : Buffer.concat([seen, more]);
    const compared = Math.min(seen.length, PREFACE.length);
    const isPreface = seen.subarray(0, compared).equals(PREFACE.subarray(0, compared));
    if (isPreface && compared < PREFACE.length) return;
    socket.off("readable", look).off("error", giveUp).off("end", giveUp).off("timeout", giveUp);
    socket.setTimeout(0);
    socket.unshift(seen);
    decide(isPreface);
  };
  // Until a server takes the socket, no other event listener would handle a reset or an end.
  socket.on("error", giveUp).on("end", giveUp).on("timeout", giveUp);
  socket.setTimeout(silentMaxMs);
  socket.on("readable", look);
}

/** Time limits of a connection. */
export interface ArrivalLimits {
  /** How long a new connection may send nothing, and how long the head of an HTTP/1.1 request may take to arrive. */
  readonly headWithinMs: number;
  /** From the start of the request to the end of its body. */
  readonly requestWithinMs: number;
  /** How long a connection may have no request. */
  readonly idleMs: number;
  /** How long an answer may stay completely unread. */
  readonly unreadMs: number;
  /** The interval of checks on connections. */
  readonly checkEveryMs: number;
}

/** How long the parts of a connection may take, over HTTP/1.1 and HTTP/2; the settings `listeners.…` set all but the interval of checks. */
const ARRIVAL: ArrivalLimits = {
  headWithinMs: 60_000,
  requestWithinMs: 300_000,
  // Clients keep idle connections for less time. So clients close them first, and no request arrives on a closing connection.
  idleMs: 75_000,
  unreadMs: 60_000,
  checkEveryMs: 10_000,
};

interface SessionLimits {
  /** How long a connection may have no open request. */
  readonly idleMs: number;
  /** How long a request may take to arrive, its body included. */
  readonly requestWithinMs: number;
}

/** Answers have no limit here. */
function limitSession(session: ServerHttp2Session, { idleMs, requestWithinMs }: SessionLimits): void {
  let open = 0;
  let idle: NodeJS.Timeout;
  const onIdle = (): void => {
    idle = setTimeout(() => session.destroy(), idleMs);
  };
  onIdle();
  session.on("stream", (stream: ServerHttp2Stream) => {
    open += 1;
    clearTimeout(idle);
    // Destroying ends the stream at once, and its request counts as broken.
    const late = setTimeout(() => stream.destroy(), requestWithinMs);
    stream.once("end", () => clearTimeout(late));
    stream.once("close", () => {
      clearTimeout(late);
      open -= 1;
      if (open === 0 && !session.destroyed) onIdle();
    });
  });
  session.once("close", () => clearTimeout(idle));
}
