/** Parses the endpoint manifest, which is a deployment's answer to discovery, and checks requests by its input rules. */
import { CodedError } from "../errors/coded-error.ts";
import { parseJsonFromOutside } from "../model/json-elements.ts";
import type { InputRule, Service } from "../model/service.ts";
import { withoutParameters } from "./input-rule.ts";
import { JsonObject, JsonShapeError, unlike } from "./json-object.ts";
import { readServices } from "./manifest-service.ts";
import { negotiate, WHOLE_RANGE } from "./version.ts";
import type { ProtocolRange } from "./version.ts";

export interface Manifest {
  readonly protocolMode: "bidi-stream" | "request-response";
  readonly minProtocolVersion: number;
  readonly maxProtocolVersion: number;
  /** Set by deployments on Lambda that can read and write zstd. */
  readonly lambdaCompression?: "zstd";
  readonly services: readonly Service[];
}

export const MANIFEST_CONTENT_TYPES: readonly string[] = [1, 2, 3, 4].map(
  (version) => `application/vnd.restate.endpointmanifest.v${version}+json`,
);
/** The beginning of the content types of manifests of all versions, including versions that this server does not know. */
const MANIFEST_TYPE_START = "application/vnd.restate.endpointmanifest.";
/** The `accept` header of discovery. */
export const MANIFEST_ACCEPT = MANIFEST_CONTENT_TYPES.join(", ");

/** A manifest of the largest size has about this many, if it describes thousands of handlers with their schemas. */
const ELEMENTS_MAX = 250_000;
const PROTOCOL_VERSION_NUMBER_MAX = 0x7fffffff;

/** True if the content type names a manifest, which only deployments send; `parseManifest` may still refuse the answer. */
export function isOfManifest(contentType: string | undefined): boolean {
  return contentType?.startsWith(MANIFEST_TYPE_START) === true;
}

/**
 * Parses the body of a discovery answer and ignores unknown keys.
 * @param ours the versions that this server accepts
 * @throws CodedError META0013 if the answer is not a manifest, META0012 if the deployment shares no version with this server
 * @throws JsonShapeError if a part has the wrong shape, ManifestRuleError if a part breaks a rule
 */
export function parseManifest(
  contentType: string | undefined,
  body: Uint8Array,
  ours: ProtocolRange = WHOLE_RANGE,
): Manifest {
  if (contentType === undefined || !MANIFEST_CONTENT_TYPES.includes(contentType)) {
    const found = contentType === undefined ? "no content type" : `the content type '${contentType}'`;
    throw new CodedError("META0013", `${found}, but one of ${MANIFEST_ACCEPT} is expected`);
  }
  const root = new JsonObject(parseJson(body), "$");
  const mode = root.oneOf("protocolMode", ["BIDI_STREAM", "REQUEST_RESPONSE"]);
  if (mode === undefined) throw new CodedError("META0013", "$.protocolMode is missing");
  const lambdaCompression = root.oneOf("lambdaCompression", ["zstd"]);
  return {
    protocolMode: mode === "BIDI_STREAM" ? "bidi-stream" : "request-response",
    ...readVersions(root, ours),
    ...(lambdaCompression === undefined ? {} : { lambdaCompression }),
    services: readServices(root),
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return parseJsonFromOutside(body, ELEMENTS_MAX);
  } catch (error) {
    throw new JsonShapeError("$", `cannot be read as JSON in UTF-8: ${(error as Error).message}`);
  }
}

function readVersions(
  root: JsonObject,
  ours: ProtocolRange,
): Pick<Manifest, "minProtocolVersion" | "maxProtocolVersion"> {
  const min = root.count("minProtocolVersion");
  const max = root.count("maxProtocolVersion");
  for (const [name, version] of [["minProtocolVersion", min] as const, ["maxProtocolVersion", max] as const]) {
    if (version === undefined) throw unlike(root.pathOf(name), undefined, "a protocol version");
    if (version < 1 || version > PROTOCOL_VERSION_NUMBER_MAX) {
      throw new CodedError("META0013", `${root.pathOf(name)} is ${version}, which is not a protocol version`);
    }
  }
  if (min! > max!) throw new CodedError("META0013", `$.minProtocolVersion ${min} is above $.maxProtocolVersion ${max}`);
  if (negotiate({ min: min!, max: max! }, ours) === undefined) {
    throw new CodedError(
      "META0012",
      `the deployment speaks versions ${min} to ${max}, and this server speaks ${ours.min} to ${ours.max}`,
    );
  }
  return { minProtocolVersion: min!, maxProtocolVersion: max! };
}

/**
 * Checks the body of a request against the input rule of a handler.
 * @param rule undefined if the manifest has no input rule. Then a body with any content type passes, and so does an empty body
 *   without a content type
 * @param contentType the request's header
 * @returns the reason of a refusal, in the words that existing clients show; undefined if the input is accepted
 */
export function inputVerdict(
  rule: InputRule | undefined,
  contentType: string | undefined,
  bodyIsEmpty: boolean,
): string | undefined {
  const nothing = bodyIsEmpty && contentType === undefined;
  if (rule?.required !== true && nothing) return undefined;
  const pattern = rule === undefined ? "*/*" : rule.contentType;
  if (pattern === undefined) {
    // If the manifest requires an input but names no content type, any non-empty body passes.
    if (rule?.required === true) return bodyIsEmpty ? "Empty body not allowed" : undefined;
    return "Expected an empty body and no content-type";
  }
  if (rule?.jsonSchema !== undefined && bodyIsEmpty) return "Empty body not allowed";
  if (contentType === undefined) return "Empty content-type";
  const given = withoutParameters(contentType);
  return matches(given, withoutParameters(pattern)) ? undefined : `Content-type '${given}' does not match '${pattern}'`;
}

function matches(given: string, pattern: string): boolean {
  if (pattern === "*/*") return true;
  if (pattern.endsWith("/*")) return given.startsWith(pattern.slice(0, -1));
  return given === pattern;
}
