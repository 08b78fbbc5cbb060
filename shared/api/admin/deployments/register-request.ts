/** Converts the bodies of registrations and updates to requests of the engine. */
import * as z from "zod";
import { CONNECTION_HEADERS } from "../../wire/connection-headers.ts";
import { MASK } from "../../../core/model/deployment.ts";
import type { UpdateRequest } from "../../../engine/register/change-deployments.ts";
import type { RegisterRequest } from "../../../engine/register/register.ts";
import type { HttpRequest } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { readJsonBody, readOptionalJsonBody } from "../requests/json-body.ts";
import { present } from "../requests/json-members.ts";
import { RegisterHttp, RegisterLambda, UpdateDeployment } from "../../contract/deployments.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Visible characters, with spaces and tabs in between. */
const HEADER_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;
/** A new registration keeps no headers of an earlier one, so a masked value cannot be restored. */
const READ_MASKED =
  "has the masked value of an answer: give the real value, or, in an update, omit all headers to keep the stored ones";
/** These headers identify the control plane and the invocation to a deployment. */
const OURS = /^x-restate-/;
/** Headers of the connection or of the exchange itself. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  "accept",
  "content-length",
  "content-type",
  "expect",
  "host",
]);

/**
 * @param forceByDefault the value of `force` if the body has none
 * @throws PlainRefusal 400, 415 or 422 for a malformed body; HttpProblem 400 or 501 for an invalid or unsupported
 * request
 */
export function readRegisterRequest(request: HttpRequest, forceByDefault: boolean): RegisterRequest {
  const raw = readJsonBody(request, z.record(z.string(), z.unknown()));
  const isLambda = raw["arn"] !== undefined && raw["uri"] === undefined;
  const body = isLambda ? readJsonBody(request, RegisterLambda) : readJsonBody(request, RegisterHttp);
  return {
    ...("uri" in body ? httpAddress(body) : lambdaAddress(body)),
    additionalHeaders: checkedHeaders(body.additional_headers ?? {}),
    metadata: body.metadata ?? {},
    breaking: body.breaking ?? false,
    force: body.force ?? forceByDefault,
    dryRun: body.dry_run ?? false,
  };
}

function httpAddress(body: z.output<typeof RegisterHttp>) {
  if (body.auth !== undefined && body.auth !== null) {
    throw new HttpProblem(501, "Authentication by identity tokens is not supported; use additional_headers");
  }
  return { uri: body.uri, useHttp11: body.use_http_11 ?? false };
}

function lambdaAddress({ arn, assume_role_arn: assumeRoleArn }: z.output<typeof RegisterLambda>) {
  return { arn, ...present({ assumeRoleArn }) };
}

/** An update by PUT discovers everything again; an empty body keeps the address. */
export function readReplacement(request: HttpRequest): UpdateRequest {
  return updateOf(readOptionalJsonBody(request, UpdateDeployment), "similar");
}

/** An update by PATCH. @returns undefined if the body changes nothing */
export function readPatch(request: HttpRequest): UpdateRequest | undefined {
  const body = readJsonBody(request, UpdateDeployment);
  const { uri, use_http_11: useHttp11, arn, assume_role_arn: role, additional_headers: headers } = body;
  const given = [uri, useHttp11, arn, role, headers].some((value) => value !== undefined);
  return given ? updateOf(body, body.overwrite === true ? "services" : "address") : undefined;
}

function updateOf(body: z.output<typeof UpdateDeployment>, rule: UpdateRequest["rule"]): UpdateRequest {
  const { uri, arn, use_http_11: useHttp11, assume_role_arn: assumeRoleArn, additional_headers: headers } = body;
  const additionalHeaders = headers === undefined ? undefined : checkedHeaders(headers);
  return {
    ...present({ uri, arn, useHttp11, assumeRoleArn, additionalHeaders }),
    rule,
    dryRun: body.dry_run ?? false,
  };
}

function checkedHeaders(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of pairs) {
    if (value === MASK || OURS.test(name)) {
      const reason = value === MASK ? READ_MASKED : "is the server's own";
      throw new HttpProblem(400, `The request field 'additional_headers' is invalid: the header '${name}' ${reason}`);
    }
    if (!HEADER_NAME.test(name) || FORBIDDEN_HEADERS.has(name) || !HEADER_VALUE.test(value)) {
      throw new HttpProblem(
        400,
        `The request field 'additional_headers' is invalid: the header '${name}' cannot be sent`,
      );
    }
  }
  return Object.fromEntries(pairs);
}
