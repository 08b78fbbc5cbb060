/** An exchange over a transport that carries whole requests and whole answers. */
import type { Exchange, ExchangeHead, ExchangeRequest } from "../../engine/ports/endpoints.ts";
import { TransportError } from "../../engine/ports/endpoints.ts";
import type { FunctionAnswer } from "./function-event.ts";
import { UnpackedBody } from "./unpacked-body.ts";
import { zstd } from "./zstd.ts";

/** @throws TransportError */
type Call = (body: Uint8Array, signal: AbortSignal) => Promise<FunctionAnswer>;

export class BufferedExchange implements Exchange {
  readonly #call: Call;
  readonly #written: Uint8Array[];
  readonly #letGo = new AbortController();
  readonly #answer: Promise<FunctionAnswer>;
  #settle: (answer: Promise<FunctionAnswer>) => void = () => {};
  #called = false;
  #over = false;
  #given = false;
  #unpacked: UnpackedBody | undefined;

  constructor({ body, halfClose }: Pick<ExchangeRequest, "body" | "halfClose">, call: Call) {
    this.#call = call;
    this.#written = [...body];
    this.#answer = new Promise((resolve) => (this.#settle = resolve));
    // This handler prevents an unhandled rejection when the caller of an aborted exchange awaits nothing.
    this.#answer.then(
      () => (this.#over = true),
      () => (this.#over = true),
    );
    if (halfClose) this.halfClose();
  }

  async head(): Promise<ExchangeHead> {
    const { status, headers } = await this.#answer;
    return { status, headers, httpVersion: "http1.1" };
  }

  async next(): Promise<Uint8Array | undefined> {
    const { body, packing } = await this.#answer;
    if (this.#unpacked !== undefined) return await this.#unpacked.next();
    if (this.#given || body.length === 0) return undefined;
    this.#given = true;
    if (packing === undefined || zstd === undefined) return body;
    this.#unpacked = new UnpackedBody(body, zstd.unpacking());
    if (this.#letGo.signal.aborted) this.#unpacked.close();
    return await this.#unpacked.next();
  }

  write(bytes: Uint8Array): void {
    if (!this.#called) this.#written.push(bytes);
  }

  halfClose(): void {
    if (this.#called || this.#letGo.signal.aborted) return;
    this.#called = true;
    this.#settle(this.#run());
  }

  abort(): void {
    this.#unpacked?.close();
    if (this.#over || this.#letGo.signal.aborted) return;
    this.#letGo.abort();
    if (!this.#called) this.#settle(Promise.reject(aborted()));
  }

  async #run(): Promise<FunctionAnswer> {
    const { signal } = this.#letGo;
    const letGo = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(aborted()), { once: true });
    });
    return await Promise.race([this.#call(Buffer.concat(this.#written), signal), letGo]);
  }
}

function aborted(): TransportError {
  return new TransportError("aborted", "the exchange was aborted");
}
