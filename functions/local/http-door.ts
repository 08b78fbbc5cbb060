/** One port of the process: HTTP/1.1 and HTTP/2 with prior knowledge, both turned into plain requests for one face. */
import { createServer as createHttp1, STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { bindRefusal } from "../../shared/wiring/start-refusals.ts";
import { readRequest } from "./http-request.ts";
import { offerBothProtocols } from "./protocol-choice.ts";

export interface DoorOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly bodyMaxBytes: number;
  /** @param declared whether the request had told its size before its body came */
  readonly tooLarge: (declared: boolean) => HttpResponse;
  /** Its promise never rejects. */
  readonly answer: (request: HttpRequest) => Promise<HttpResponse>;
}

/** Longer than clients keep idle connections, so that it is they who close them and no request meets a closing one. */
const KEEP_ALIVE_MS = 75_000;

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
  readonly #http1 = createHttp1(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (incoming, outgoing) => void this.#serve(incoming, outgoing),
  );
  readonly #http2 = createHttp2((incoming, outgoing) => void this.#serve(incoming, outgoing));
  #isClosing = false;
  #openRequests = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
    offerBothProtocols(this.#http1, this.#http2, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
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

  async #serve(incoming: Incoming, outgoing: Outgoing): Promise<void> {
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
      const read = await readRequest(incoming, this.#options.bodyMaxBytes, gone.signal);
      if (read.kind === "broken") return;
      if (read.kind === "too-large") return refuseBody(incoming, outgoing, this.#options.tooLarge(read.declared));
      const response = await this.#options.answer(read.request);
      isAnswered = true;
      if (!outgoing.destroyed) write(outgoing, response, this.#isClosing);
    } catch {
      // An answer that cannot be written is known to the client by its broken connection, and to nobody else.
      outgoing.destroy();
    }
  }
}

/** The rest of the body is not read, so the connection cannot be used again. */
function refuseBody(incoming: Incoming, outgoing: Outgoing, response: HttpResponse): void {
  outgoing.once("finish", () => setImmediate(() => incoming.destroy()));
  write(outgoing, response, true);
}

function write(outgoing: Outgoing, { status, headers, body }: HttpResponse, isLast: boolean): void {
  const sized = status === 204 || status === 304 ? headers : { ...headers, "content-length": String(body.length) };
  if ("stream" in outgoing) outgoing.writeHead(status > STATUS_MAX_OF_HTTP2 ? 500 : status, sized);
  // A status of our own has no reason phrase.
  else outgoing.writeHead(status, STATUS_CODES[status] ?? "", isLast ? { ...sized, connection: "close" } : sized);
  outgoing.end(body);
}
