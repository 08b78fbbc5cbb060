/** Maps failures of Lambda or of the function to the errors of the endpoints port. */
import type { InvokeCommandOutput } from "@aws-sdk/client-lambda";
import { LambdaServiceException } from "@aws-sdk/client-lambda";
import type { TransportReason } from "../../engine/ports/endpoints.ts";
import { TransportError } from "../../engine/ports/endpoints.ts";
import { remedyOf } from "./refusal-remedies.ts";

const REASONS: Readonly<Record<string, TransportReason>> = {
  TooManyRequestsException: "throttled",
  ThrottlingException: "throttled",
  EC2ThrottledException: "throttled",
  ENILimitReachedException: "throttled",
  RequestTooLargeException: "too-large",
  RequestEntityTooLargeException: "too-large",
};
const STATUS_THROTTLED = 429;
const STATUS_TOO_LARGE = 413;
const RESPONSE_TOO_LARGE = /ResponseSizeTooLarge|Response payload size .{0,100}exceeded/i;
const QUOTE_MAX_CHARACTERS = 1_000;
/** A character has four bytes at most. */
const QUOTE_MAX_BYTES = 4 * QUOTE_MAX_CHARACTERS;

/**
 * The error for a failed call. After a failed call the effects of the function are unknown.
 * @param handlerTag the value of the tag `stepwell` that permits calls; undefined if a list of functions permits them
 */
export function failedCall(arn: string, cause: unknown, handlerTag?: string): TransportError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  // The remedy comes first, because a failed attempt keeps only the start of its message.
  const text = `${remedyOf(arn, name, message, handlerTag)}Lambda did not serve the call of '${arn}': ${name}: ${message}`;
  if (!(cause instanceof LambdaServiceException)) {
    const reason = name === "TimeoutError" ? "broken" : "unreachable";
    return new TransportError(reason, text, { cause });
  }
  const status = cause.$metadata.httpStatusCode;
  const reason =
    REASONS[name] ??
    (status === STATUS_THROTTLED ? "throttled" : status === STATUS_TOO_LARGE ? "too-large" : "unreachable");
  return new TransportError(reason, text, { cause });
}

/** The error for a function that ended with an error: it threw, exceeded its time or memory, or returned too much. */
export function failedFunction(arn: string, { FunctionError, Payload }: InvokeCommandOutput): TransportError {
  const text = new TextDecoder().decode(Payload?.subarray(0, QUOTE_MAX_BYTES)).slice(0, QUOTE_MAX_CHARACTERS);
  const reason = RESPONSE_TOO_LARGE.test(text) ? "too-large" : "broken";
  return new TransportError(reason, `the function '${arn}' failed (${FunctionError}): ${text}`);
}
