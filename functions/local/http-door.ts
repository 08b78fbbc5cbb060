/** One port of the process: HTTP/1.1 and HTTP/2 with prior knowledge, both turned into plain requests for one face. */
import { createServer as createHttp1, STATUS_CODES } from "node:http";
import type { IncomingMessage, Server as Http1Server, ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { bindRefusal } from "../../shared/wiring/start-refusals.ts";
import { limitSession } from "./http2-limits.ts";
import { readRequest } from "./http-request.ts";
import { offerBothProtocols } from "./protocol-choice.ts";

export interface DoorOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly bodyMaxBytes: number;
  /**
   * @param request without its body
   * @param declared whether the request had told its size before its body came
   */
  readonly tooLarge: (request: HttpRequest, declared: boolean) => HttpResponse;
  /** A minute for the head and five for the whole request unless told; the answer may take as long as it likes. */
  readonly arrival?: Partial<ArrivalLimits>;
  /** Its promise never rejects. */
  readonly answer: (request: HttpRequest) => Promise<HttpResponse>;
}

/** What a connection may take its time for. */
export interface ArrivalLimits {
  /** Of a request, from the first byte of its connection or since the answer before. */
  readonly headWithinMs: number;
  /** Of a request with its body. */
  readonly requestWithinMs: number;
  /** How long a connection may stay without a request. */
  readonly idleMs: number;
  /** How often connections are looked at. */
  readonly checkEveryMs: number;
}

const ARRIVAL: ArrivalLimits = {
  headWithinMs: 60_000,
  requestWithinMs: 300_000,
  // Longer than clients keep idle connections, so that it is they who close them and no request meets a closing one.
  idleMs: 75_000,
  checkEveryMs: 10_000,
};
/** On one connection of HTTP/2; clients open another one beyond. */
const CONCURRENT_STREAMS_MAX = 200;
/** How long what is left of a refused body is read and forgotten, so that its sender can read the refusal. */
const LINGER_MS = 1000;

/** Longer bodies go out as they are, beside their heads. */
const JOINED_MAX_BYTES = 16 * 1024;

/** Handlers choose the status of their failures; what HTTP/2 cannot send is a 500, and the body tells the number. */
const STATUS_MAX_OF_HTTP2 = 599;

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

/** @throws CodedError RT0004 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const door = new Door(options);
  await door.open();
  return door;
}

export class Door {
  readonly #options: DoorOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Listens for both; it keeps the watch over slow and idle connections of its own kind. */
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  #isClosing = false;
  #openRequests = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    const { headWithinMs, requestWithinMs, checkEveryMs, idleMs } = { ...ARRIVAL, ...options.arrival };
    this.#http1 = createHttp1({
      keepAliveTimeout: idleMs,
      headersTimeout: headWithinMs,
      requestTimeout: requestWithinMs,
      connectionsCheckingInterval: checkEveryMs,
    });
    this.#http2 = createHttp2({ settings: { maxConcurrentStreams: CONCURRENT_STREAMS_MAX } });
    for (const server of [this.#http1, this.#http2] as const) {
      server.on("request", (incoming: Incoming, outgoing: Outgoing) => void this.#serve(incoming, outgoing));
      // Whoever asks before it sends a body is told to go on only when the body is wanted.
      server.on(
        "checkContinue",
        (incoming: Incoming, outgoing: Outgoing) => void this.#serve(incoming, outgoing, true),
      );
    }
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      limitSession(session, { idleMs, requestWithinMs });
    });
    const onConnection = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    };
    offerBothProtocols(this.#http1, this.#http2, onConnection, headWithinMs);
  }

  /** Requests that have not been answered yet. */
  get openRequests(): number {
    return this.#openRequests;
  }

  get port(): number {
    return (this.#http1.address() as AddressInfo).port;
  }

  open(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#http1.once("error", (error) => reject(bindRefusal(`${host}:${port}`, error)));
      this.#http1.listen(port, host, resolve);
    });
  }

  /** Takes no new connections, and lets the present ones end with their next answer. */
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
    const gone = new AbortController();
    let isAnswered = false;
    outgoing.once("close", () => {
      this.#openRequests -= 1;
      // After the answer nobody listens, and aborting is dear.
      if (!isAnswered) gone.abort();
    });
    incoming.once("error", () => gone.abort());
    try {
      const goOn = asksToGoOn ? () => outgoing.writeContinue() : undefined;
      const read = await readRequest(incoming, this.#options.bodyMaxBytes, gone.signal, goOn);
      if (read.kind === "broken") return;
      if (read.kind === "too-large") {
        return refuseBody(incoming, outgoing, this.#options.tooLarge(read.request, read.declared));
      }
      const response = await this.#options.answer(read.request);
      isAnswered = true;
      if (!outgoing.destroyed) write(outgoing, response, this.#isClosing);
    } catch {
      // An answer that cannot be written is known to the client by its broken connection, and to nobody else.
      outgoing.destroy();
    }
  }
}

/**
 * The rest of the body is not kept, so the connection cannot be used again; but one that is closed upon bytes that
 * nobody has read takes the refusal with it.
 */
function refuseBody(incoming: Incoming, outgoing: Outgoing, response: HttpResponse): void {
  const isHttp2 = writeHead(outgoing, response, true);
  // Node would close a connection of HTTP/1.1 at the end of its last answer; the client knows the end by its length.
  if (isHttp2) outgoing.end(response.body);
  else (outgoing as ServerResponse).write(response.body);
  const end = (): void => {
    clearTimeout(lingering);
    if (isHttp2) incoming.destroy();
    else outgoing.end();
  };
  const lingering = setTimeout(end, LINGER_MS);
  incoming.once("end", end).once("close", () => clearTimeout(lingering));
  incoming.removeAllListeners("data").resume();
}

function write(outgoing: Outgoing, response: HttpResponse, isLast: boolean): void {
  const { body } = response;
  const isHttp2 = writeHead(outgoing, response, isLast);
  if (isHttp2 || body.length > JOINED_MAX_BYTES) outgoing.end(body);
  else (outgoing as ServerResponse).end(byteText(body), "latin1");
}

/** One character per byte: Node joins head and body into one piece, which costs less to write, where the body is a text. */
function byteText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
}

/** @returns whether the request came over HTTP/2 */
function writeHead(outgoing: Outgoing, { status, headers, body }: HttpResponse, isLast: boolean): boolean {
  const sized = status === 204 || status === 304 ? headers : { ...headers, "content-length": String(body.length) };
  if ("stream" in outgoing) {
    outgoing.writeHead(status > STATUS_MAX_OF_HTTP2 ? 500 : status, sized);
    return true;
  }
  // A status of our own has no reason phrase.
  outgoing.writeHead(status, STATUS_CODES[status] ?? "", isLast ? { ...sized, connection: "close" } : sized);
  return false;
}
