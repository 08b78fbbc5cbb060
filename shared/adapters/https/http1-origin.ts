/** All HTTP/1.1 connections to one origin. A connection carries one exchange at a time, and stays open between exchanges. */
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { deliverRest, type CarriedExchange } from "./exchange/carried-exchange.ts";
import type { Dialer } from "./dial.ts";
import { broken } from "./exchange/failures.ts";
import { endToEnd, HEADER_LIST_MAX_BYTES, joined } from "./exchange/end-to-end-headers.ts";
import { flood, IdleWork } from "./exchange/idle-work.ts";
import { pathOf, type ParsedUri } from "./exchange/parsed-uri.ts";

/** Servers commonly close idle connections after five seconds. We close ours earlier, so that no request meets a closed one. */
const IDLE_MAX_MS = 4_000;
const FREE_SOCKETS_MAX = 256;

export class Http1Origin {
  readonly #origin: URL;
  readonly #agent: DialingAgent;
  #usedAtMs = Date.now();

  constructor(origin: URL, dialer: Dialer) {
    this.#origin = origin;
    this.#agent = new DialingAgent(origin, dialer);
  }

  get hasConnection(): boolean {
    return Object.values(this.#agent.freeSockets).some((sockets) => (sockets?.length ?? 0) > 0);
  }

  /** Takes over a connection that agreed on HTTP/1.1. */
  adopt(socket: Socket): void {
    this.#agent.spare.push(socket);
  }

  carry(exchange: CarriedExchange, target: ParsedUri): void {
    if (exchange.isOver) return;
    this.#dropStale();
    const { request } = exchange;
    const body = whole(request.body);
    const headers: Record<string, string> = { ...endToEnd(request.headers), host: target.origin.host };
    if (request.halfClose && (body.length > 0 || request.method === "POST")) {
      headers["content-length"] = String(body.length);
    }
    let outgoing: ClientRequest;
    try {
      outgoing = httpRequest({
        agent: this.#agent,
        host: target.origin.hostname,
        method: request.method,
        path: pathOf(target, request.path),
        headers,
        maxHeaderSize: HEADER_LIST_MAX_BYTES,
      });
    } catch (error) {
      exchange.fail(broken(error, this.#origin));
      return;
    }
    this.#listen(outgoing, exchange);
    if (request.halfClose) {
      outgoing.end(body.length > 0 ? body : undefined);
    } else {
      outgoing.flushHeaders();
      if (body.length > 0) outgoing.write(body);
    }
  }

  close(): void {
    this.#agent.destroy();
    for (const socket of this.#agent.spare.splice(0)) socket.destroy();
  }

  #listen(outgoing: ClientRequest, exchange: CarriedExchange): void {
    let incoming: IncomingMessage | undefined;
    let failure: Error | undefined;
    outgoing.on("error", (error) => exchange.fail(broken(error, this.#origin)));
    const counted = this.#boundIdleWork(outgoing, exchange);
    outgoing.on("close", () => {
      this.#usedAtMs = Date.now();
      // If there is a response, its own close event decides: the response may still have unread bytes.
      if (incoming === undefined) exchange.fail(broken(undefined, this.#origin));
    });
    outgoing.on("response", (response) => {
      incoming = response;
      response.on("data", (bytes: Uint8Array) => {
        counted(bytes.length);
        exchange.deliver(bytes);
      });
      response.on("end", () => exchange.finish());
      response.on("error", (error) => (failure = error));
      response.on("close", () => {
        deliverRest(response, exchange);
        exchange.fail(broken(failure, this.#origin));
      });
      exchange.accept({
        status: response.statusCode ?? 0,
        headers: joined(response.headers),
        httpVersion: "http1.1",
      });
    });
    exchange.attach({
      write: (bytes) => void (outgoing.writable && outgoing.write(bytes)),
      end: () => void outgoing.end(),
      reset: () => void outgoing.destroy(),
      pause: () => void incoming?.pause(),
      resume: () => void incoming?.resume(),
    });
  }

  /**
   * Counts all received bytes, and every informational head, against the content.
   * @returns the function that counts one piece of content
   */
  #boundIdleWork(outgoing: ClientRequest, exchange: CarriedExchange): (size: number) => void {
    const idle = new IdleWork();
    const end = (what: string): void => {
      exchange.fail(flood(this.#origin.host, what));
      outgoing.destroy();
    };
    const onBytes = ({ length }: Uint8Array): void => idle.bytes(length);
    outgoing.once("socket", (socket) => {
      // In front of the parser, so that the bytes of a head count before it.
      socket.prependListener("data", onBytes);
      outgoing.once("close", () => socket.off("data", onBytes));
    });
    outgoing.on("information", () => {
      if (idle.head()) end("its informational heads come in hundreds");
    });
    return (size) => {
      if (idle.frame()) end("its chunks come in thousands, of a byte each or with extensions");
      else idle.content(size);
    };
  }

  /** Closes idle connections whose timers did not run because the process was frozen. */
  #dropStale(): void {
    const nowMs = Date.now();
    if (nowMs - this.#usedAtMs > IDLE_MAX_MS) {
      for (const sockets of Object.values(this.#agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroy();
    }
    this.#usedAtMs = nowMs;
  }
}

function endOnBytes(this: Socket): void {
  this.destroy();
}

/** Node's connection pool with our dialer, which checks addresses and certificates. */
class DialingAgent extends Agent {
  /** Open connections that have not carried an exchange yet. */
  readonly spare: Socket[] = [];
  readonly #origin: URL;
  readonly #dialer: Dialer;

  constructor(origin: URL, dialer: Dialer) {
    super({ keepAlive: true, timeout: IDLE_MAX_MS, maxFreeSockets: FREE_SOCKETS_MAX, scheduling: "lifo" });
    this.#origin = origin;
    this.#dialer = dialer;
  }

  /** A peer has nothing to say on a connection without a request, so its bytes end the connection. */
  override keepSocketAlive(socket: Duplex): boolean {
    // Node's declared types lack the result.
    const isKept = super.keepSocketAlive(socket as Socket) as unknown as boolean;
    if (isKept) socket.once("data", endOnBytes);
    return isKept;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off("data", endOnBytes);
    super.reuseSocket(socket as Socket, request);
  }

  /** Returns nothing: opening is asynchronous, so the callback gets the connection. */
  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): Duplex {
    const spare = this.spare.pop();
    const connection = spare === undefined || spare.destroyed ? this.#open() : Promise.resolve(spare);
    connection.then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined as never;
  }

  async #open(): Promise<Socket> {
    const { socket } = await this.#dialer.dial(this.#origin, ["http/1.1"]);
    return socket;
  }
}

/** The body in one piece; several parts are copied, a single part is not. */
export function whole(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
