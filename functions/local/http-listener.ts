/**
 * A listener is an HTTP server at one port of the local process. It speaks HTTP/1.1 and HTTP/2 with prior knowledge,
 * and converts the requests of both protocols to plain data.
 */
import { createServer as createHttp1, type Server as Http1Server } from "node:http";
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { type HttpRequest, type HttpResponse, textResponse } from "../../shared/api/http/message.ts";
import { bindRefusal } from "../../shared/wiring/start-refusals.ts";
import type { ListenerBudgets } from "../../shared/wiring/embedded.ts";
import { ARRIVAL, limitSession, type ArrivalLimits } from "./arrival-limits.ts";
import { ConnectionRoom, connectionsMax } from "./connection-room.ts";
import { refusalOf, refuseOnSocket } from "./raw-refusal.ts";
import { type Admitted, AnswerRoom, type AnswerRules } from "./answer-room.ts";
import { endsOf, type Incoming, TransferRoom } from "./transfer-room.ts";
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
import { offerBothProtocols } from "./protocol-choice.ts";

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
