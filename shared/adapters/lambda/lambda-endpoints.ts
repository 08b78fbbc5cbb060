/** Implements the endpoints port for functions on Lambda, called by qualified ARN; the answer comes in one piece. */
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { shownUri } from "../../core/model/deployment.ts";
import { LambdaArnError, parseLambdaArn } from "../../core/model/lambda-arn.ts";
import { TransportError } from "../../engine/ports/endpoints.ts";
import type {
  Endpoints,
  Exchange,
  ExchangeRequest,
  LambdaDestination,
  ExchangeHead,
} from "../../engine/ports/endpoints.ts";
import { failedCall, failedFunction } from "./refusal-remedies.ts";
import { answerOfPayload, eventPayload } from "./function-event.ts";
import type { FunctionAnswer } from "./function-event.ts";
import { LambdaClients } from "./lambda-clients.ts";
import type { LambdaClientsOptions } from "./lambda-clients.ts";
import { UnpackedBody } from "./unpacked-body.ts";
import { zstd } from "./zstd.ts";

/**
 * An exchange is one synchronous call. The call starts when our side of the exchange ends; head and body of the answer
 * arrive together or not at all. The adapter never repeats a call.
 */
export class LambdaEndpoints implements Endpoints {
  readonly #clients: LambdaClients;
  readonly #handlerTag: string | undefined;

  constructor(options: LambdaClientsOptions = {}) {
    this.#clients = new LambdaClients(options);
    this.#handlerTag = options.handlerTag;
  }

  open(request: ExchangeRequest): Exchange {
    const { destination } = request;
    return new BufferedExchange(request, async (body, signal) => {
      if ("arn" in destination) return await this.#invoke(request, destination, body, signal);
      throw new TransportError("unreachable", `"${shownUri(destination.uri)}" is no function on Lambda`);
    });
  }

  /** Closes every connection; exchanges under way break. */
  close(): void {
    this.#clients.close();
  }

  async #invoke(
    request: ExchangeRequest,
    destination: LambdaDestination,
    body: Uint8Array,
    abortSignal: AbortSignal,
  ): Promise<FunctionAnswer> {
    const { arn, assumeRoleArn } = destination;
    const client = this.#clients.of(regionOf(arn), assumeRoleArn);
    const Payload = eventPayload(request, body, destination);
    const command = new InvokeCommand({ FunctionName: arn, InvocationType: "RequestResponse", Payload });
    const output = await client.send(command, { abortSignal }).catch((cause: unknown) => {
      throw failedCall(arn, cause, this.#handlerTag);
    });
    if (output.FunctionError !== undefined) throw failedFunction(arn, output);
    return answerOfPayload(output.Payload);
  }
}

function regionOf(arn: string): string {
  try {
    return parseLambdaArn(arn).region;
  } catch (cause) {
    if (!(cause instanceof LambdaArnError)) throw cause;
    throw new TransportError("unreachable", cause.message, { cause });
  }
}

/** @throws TransportError */
type Call = (body: Uint8Array, signal: AbortSignal) => Promise<FunctionAnswer>;

class BufferedExchange implements Exchange {
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
