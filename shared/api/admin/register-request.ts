/** Reads the body of `POST /deployments`. */
import type { HttpAddress, LambdaAddress } from "../../engine/discover.ts";
import type { RegisterRequest } from "../../engine/register.ts";
import type { HttpRequest } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import { PlainRefusal } from "./plain-refusal.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Visible characters, with blanks and tabs in between. */
const HEADER_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;
/** These belong to the connection or to the exchange itself. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * @param forceByDefault what holds where the body does not say
 * @throws PlainRefusal 400, 415 or 422 where the body has another form; HttpProblem 400 or 501 where it asks the impossible
 */
export function readRegisterRequest(request: HttpRequest, forceByDefault: boolean): RegisterRequest {
  const body = jsonObject(request);
  if (body["auth"] !== undefined && body["auth"] !== null) {
    throw new HttpProblem(501, "Authentication by identity tokens is not supported; use additional_headers");
  }
  return {
    ...address(body),
    additionalHeaders: headers(textMap(body, "additional_headers")),
    metadata: textMap(body, "metadata"),
    breaking: flag(body, "breaking", false),
    force: flag(body, "force", forceByDefault),
    dryRun: flag(body, "dry_run", false),
  };
}

/** An address over HTTP, or the ARN of a function. */
function address(body: JsonObject): HttpAddress | LambdaAddress {
  if (body["uri"] !== undefined || body["arn"] === undefined) {
    return { uri: text(body, "uri"), useHttp11: flag(body, "use_http_11", false) };
  }
  if (body["assume_role_arn"] !== undefined && body["assume_role_arn"] !== null) {
    throw new HttpProblem(
      501,
      "Roles to be assumed for a call are not supported; grant the call to this server's role",
    );
  }
  return { arn: text(body, "arn") };
}

type JsonObject = Readonly<Record<string, unknown>>;

function jsonObject(request: HttpRequest): JsonObject {
  const mediaType = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (mediaType !== "application/json" && !/^application\/[^/]+\+json$/.test(mediaType)) {
    throw new PlainRefusal(415, "Expected request with `Content-Type: application/json`");
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(request.body));
  } catch (error) {
    throw new PlainRefusal(400, `Failed to parse the request body as JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrongShape("expected an object");
  return parsed as JsonObject;
}

function wrongShape(reason: string): PlainRefusal {
  return new PlainRefusal(422, `Failed to deserialize the JSON body into the target type: ${reason}`);
}

function text(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw wrongShape(`${name}: expected a string`);
  return value;
}

function flag(body: JsonObject, name: string, fallback: boolean): boolean {
  const value = body[name] ?? fallback;
  if (typeof value !== "boolean") throw wrongShape(`${name}: expected a boolean`);
  return value;
}

function textMap(body: JsonObject, name: string): Readonly<Record<string, string>> {
  const value = body[name] ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrongShape(`${name}: expected a map`);
  const pairs = Object.entries(value as object);
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === "string")) {
    throw wrongShape(`${name}: expected a map of strings`);
  }
  return Object.fromEntries(pairs);
}

function headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of pairs) {
    if (!HEADER_NAME.test(name) || FORBIDDEN_HEADERS.has(name) || !HEADER_VALUE.test(value)) {
      throw new HttpProblem(
        400,
        `The request field 'additional_headers' is invalid: the header '${name}' cannot be sent`,
      );
    }
  }
  return Object.fromEntries(pairs);
}
