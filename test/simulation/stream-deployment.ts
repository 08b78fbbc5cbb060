/** The real SDK as a deployment in this process whose exchanges stay open: bytes go both ways while a handler runs. */
import {
  TransportError,
  type Exchange,
  type ExchangeHead,
  type ExchangeRequest,
} from "../../shared/engine/ports/endpoints.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

/** After this many turns of the event loop without a byte in either direction, the handlers wait for the engine. */
const QUIET_TURNS = 12;

export class StreamDeployment {
  readonly #handler: FetchHandler;
  #open = 0;
  #activity = 0;

  constructor(handler: FetchHandler) {
    this.#handler = handler;
  }

  /** Resolves when no handler with an open exchange runs. Virtual time must stand still until then. */
  async rest(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && this.#open > 0;) {
      const before = this.#activity;
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#activity === before ? quiet + 1 : 0;
    }
  }

  open({ method, path, headers, body }: ExchangeRequest): Exchange {
    const requestBody = new TransformStream<Uint8Array, Uint8Array>(
      undefined,
      { highWaterMark: Infinity },
      { highWaterMark: Infinity },
    );
    const writer = requestBody.writable.getWriter();
    // An abort rejects these promises, and nothing waits for them.
    for (const ending of [writer.closed, writer.ready]) ending.catch(() => undefined);
    const gone = new AbortController();
    const request = new Request(`http://simulated.test${path}`, {
      method,
      headers,
      body: requestBody.readable,
      duplex: "half",
      signal: gone.signal,
    } as RequestInit);
    for (const part of body) writer.write(part).catch(() => undefined);
    this.#open++;
    const answer = this.#handler(request);
    const reader = answer.then((response) => response.body!.getReader());
    reader.catch(() => undefined);
    let isClosed = false;
    const over = (): void => {
      if (isClosed) return;
      isClosed = true;
      this.#open--;
    };
    let abort: (error: Error) => void = () => {};
    const aborted = new Promise<never>((_, reject) => (abort = reject));
    aborted.catch(() => undefined);
    const seen = <T>(value: T): T => {
      this.#activity++;
      return value;
    };
    return {
      head: async (): Promise<ExchangeHead> => {
        const { status, headers: heads } = seen(await Promise.race([answer, aborted]));
        return { status, headers: Object.fromEntries(heads.entries()), httpVersion: "h2" };
      },
      next: async () => {
        const { done, value } = seen(await Promise.race([reader.then((one) => one.read()), aborted]));
        if (done) over();
        return value as Uint8Array | undefined;
      },
      write: (bytes) => {
        this.#activity++;
        writer.write(bytes).catch(() => undefined);
      },
      halfClose: () => {
        this.#activity++;
        writer.close().catch(() => undefined);
      },
      abort: () => {
        over();
        this.#activity++;
        abort(new TransportError("aborted", "the exchange was aborted"));
        writer.abort().catch(() => undefined);
        gone.abort();
        void reader.then((one) => one.cancel()).catch(() => undefined);
      },
    };
  }
}

/** The same handlers for exchanges that are half-closed at once. */
export function streamingDeployment(handler: FetchHandler) {
  return async ({ method, path, headers, body }: ExchangeRequest) => {
    const sent = method === "GET" ? {} : { body: new Uint8Array(Buffer.concat(body)) };
    const response = await handler(new Request(`http://simulated.test${path}`, { method, headers, ...sent }));
    const head = {
      status: response.status,
      headers: Object.fromEntries(response.headers.entries()),
      httpVersion: "h2",
    } as const;
    return { head, body: new Uint8Array(await response.arrayBuffer()) };
  };
}
