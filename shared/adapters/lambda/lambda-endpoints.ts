/** Implements the endpoints port for functions on Lambda, called by qualified ARN; the answer comes in one piece. */
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { shownUri } from "../../core/model/deployment.ts";
import { LambdaArnError, parseLambdaArn } from "../../core/model/lambda-arn.ts";
import type { Endpoints, Exchange, ExchangeRequest, LambdaDestination } from "../../engine/ports/endpoints.ts";
import { TransportError } from "../../engine/ports/endpoints.ts";
import { BufferedExchange } from "./buffered-exchange.ts";
import { failedCall, failedFunction } from "./failures.ts";
import type { FunctionAnswer } from "./function-event.ts";
import { answerOfPayload, eventPayload } from "./function-event.ts";
import type { LambdaClientsOptions } from "./lambda-clients.ts";
import { LambdaClients } from "./lambda-clients.ts";

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
