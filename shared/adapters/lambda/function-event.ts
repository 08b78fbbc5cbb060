/** Converts a request to the JSON event of a Lambda function, and the function's JSON answer to a response. */
import { parseJsonFromOutside, TooManyElementsError } from "../../core/model/json-elements.ts";
import { TransportError, type ExchangeRequest, type LambdaDestination } from "../../engine/ports/endpoints.ts";
import { zstd } from "./zstd.ts";

/** Lambda's limit for the payload of a synchronous call, and for the payload of its answer. */
export const PAYLOAD_MAX_BYTES = 6 * 1024 * 1024;
/** An answer has a status, a body and some twenty headers. Answers of six megabytes could have a million. */
const ELEMENTS_MAX = 1_000;
/** Smaller bodies are sent uncompressed: they fit, and compression would only cost time. */
const COMPRESS_FROM_BYTES = 4 * 1024 * 1024;

export interface FunctionAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Present if the body is packed. */
  readonly packing?: "zstd";
}

/** @throws TransportError `too-large` if the event exceeds Lambda's limit */
export function eventPayload(
  { method, path, headers }: Pick<ExchangeRequest, "method" | "path" | "headers">,
  body: Uint8Array,
  { compression }: LambdaDestination,
): Uint8Array {
  const compressing = compression === "zstd" && zstd !== undefined;
  const packed = compressing && body.length >= COMPRESS_FROM_BYTES;
  const event = {
    path,
    httpMethod: method,
    headers: {
      ...headers,
      ...(compressing && { "accept-encoding": "zstd" }),
      ...(packed && { "content-encoding": "zstd" }),
    },
    body: Buffer.from(packed ? zstd!.compress(body) : body).toString("base64"),
    isBase64Encoded: true,
  };
  const payload = Buffer.from(JSON.stringify(event));
  if (payload.length <= PAYLOAD_MAX_BYTES) return payload;
  throw new TransportError(
    "too-large",
    `content too large: the journal makes a call of ${payload.length} bytes, and Lambda takes at most ${PAYLOAD_MAX_BYTES}` +
      (packed ? "" : "; the deployment and this process did not agree on compression (zstd)"),
  );
}

/** @throws TransportError `broken` if the payload is not the answer of an SDK */
export function answerOfPayload(payload: Uint8Array | undefined): FunctionAnswer {
  const answer = parsed(payload);
  const { statusCode, headers, isBase64Encoded = false } = answer;
  const body = answer["body"] ?? "";
  if (!Number.isInteger(statusCode) || Number(statusCode) < 100 || Number(statusCode) > 599) {
    throw unlikely("statusCode is no status");
  }
  if (typeof body !== "string") throw unlikely("body is no text");
  if (typeof isBase64Encoded !== "boolean") throw unlikely("isBase64Encoded is no boolean");
  const lowered = headersOf(headers);
  const bytes = new Uint8Array(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
  const packing = packingOf(lowered["content-encoding"]);
  return { status: Number(statusCode), headers: lowered, body: bytes, ...(packing !== undefined && { packing }) };
}

function parsed(payload: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  let answer: unknown;
  try {
    answer = parseJsonFromOutside(payload ?? new Uint8Array(0), ELEMENTS_MAX);
  } catch (cause) {
    throw unlikely(cause instanceof TooManyElementsError ? cause.message : "it is no JSON", cause);
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw unlikely("it is no JSON object");
  return answer as Readonly<Record<string, unknown>>;
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== "object" || Array.isArray(headers)) throw unlikely("headers is no object");
  const pairs: [string, unknown][] = Object.entries(headers);
  // Keeps only values that are texts. A value that is an object may have members, such as `toString`, that break its conversion
  // to a text.
  const texts = pairs.flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : []));
  return Object.fromEntries(texts) as Record<string, string>;
}

function packingOf(encoding: string | undefined): "zstd" | undefined {
  if (encoding === undefined || encoding === "" || encoding === "identity") return undefined;
  if (encoding.toLowerCase() !== "zstd" || zstd === undefined) throw unlikely(`its content-encoding is '${encoding}'`);
  return "zstd";
}

export function unlikely(why: string, cause?: unknown): TransportError {
  const message = `the function's answer is not that of a Restate SDK: ${why}. Check that the ARN is that of an SDK endpoint`;
  return new TransportError("broken", message, { cause });
}
