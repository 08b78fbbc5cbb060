/** Parses the endpoint manifest, which is a deployment's answer to discovery, and checks requests by its input rules. */
import { CodedError } from "../errors/coded-error.ts";
import { parseDurationMs } from "../model/duration.ts";
import { parseJsonFromOutside } from "../model/json-elements.ts";
import type { Handler, HandlerSettings, InputRule, Service, OutputRule } from "../model/service.ts";
import { JsonObject, JsonShapeError, unlike } from "./json-object.ts";
import { negotiate, WHOLE_RANGE, type ProtocolRange } from "./version.ts";
import type { HandlerType, ServiceType } from "../model/target.ts";
import { ManifestRuleError } from "./manifest-rule-error.ts";

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

const SERVICE_NAME = /^([a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9._-]*$/;
const HANDLER_NAME = /^([a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9_]*$/;
const SERVICE_TYPES = { SERVICE: "service", VIRTUAL_OBJECT: "object", WORKFLOW: "workflow" } as const;

/** The handler type for each service type and each `ty` of the manifest; a combination that is absent here is refused. */
const HANDLER_TYPES: Readonly<Record<ServiceType, Readonly<Record<string, HandlerType>>>> = {
  service: { none: "service", SHARED: "service" },
  object: { none: "exclusive", EXCLUSIVE: "exclusive", SHARED: "shared" },
  workflow: { none: "shared", SHARED: "shared", WORKFLOW: "workflow" },
};

/** @throws JsonShapeError, ManifestRuleError */
export function readServices(root: JsonObject): readonly Service[] {
  return unique(root.objects("services").map(readService), root.pathOf("services"), "service");
}

function readService(service: JsonObject): Service {
  const name = readName(service, SERVICE_NAME);
  const ty = service.oneOf("ty", ["SERVICE", "VIRTUAL_OBJECT", "WORKFLOW"]);
  if (ty === undefined) throw unlike(service.pathOf("ty"), undefined, "a service type");
  const type = SERVICE_TYPES[ty];
  const settings = readSettings(service);
  const handlers = service.objects("handlers").map((handler) => readHandler(handler, type, settings));
  return {
    name,
    type,
    handlers: unique(handlers, service.pathOf("handlers"), "handler"),
    ...readNotes(service),
    settings,
  };
}

function readHandler(handler: JsonObject, serviceType: ServiceType, ofService: HandlerSettings): Handler {
  const name = readName(handler, HANDLER_NAME);
  const ty = handler.oneOf("ty", ["WORKFLOW", "EXCLUSIVE", "SHARED"]);
  const type = HANDLER_TYPES[serviceType][ty ?? "none"];
  if (type === undefined) {
    throw new ManifestRuleError(handler.pathOf("ty"), `the ${ty} handler '${name}' does not fit the service's type`);
  }
  const settings = { ...readSettings(handler), ...readWorkflowRetention(handler, type) };
  if (type === "workflow" && settings.idempotencyRetentionMs !== undefined) {
    throw new ManifestRuleError(handler.pathOf("idempotencyRetention"), "the run handler of a workflow cannot set it");
  }
  if (ofService.private === true && settings.private === false) {
    throw new ManifestRuleError(handler.pathOf("ingressPrivate"), "a private service cannot have a public handler");
  }
  const input = handler.object("input");
  const output = handler.object("output");
  return {
    name,
    type,
    ...(input === undefined ? {} : { input: readInputRule(input) }),
    ...(output === undefined ? {} : { output: readOutputRule(output) }),
    ...readNotes(handler),
    settings,
  };
}

/** Names are parts of keys of items: with a longer one, no item of the service could be written. */
const NAME_MAX_CHARACTERS = 255;

function readName(owner: JsonObject, pattern: RegExp): string {
  const name = owner.text("name");
  if (name !== undefined && name.length > NAME_MAX_CHARACTERS)
    throw new ManifestRuleError(
      owner.pathOf("name"),
      `it has ${name.length} characters, and at most ${NAME_MAX_CHARACTERS} fit`,
    );
  if (name === undefined || !pattern.test(name)) {
    throw unlike(owner.pathOf("name"), name, `a name like ${pattern.source}`);
  }
  return name;
}

function readNotes(owner: JsonObject): Pick<Service, "documentation" | "metadata"> {
  return present({ documentation: owner.text("documentation"), metadata: owner.texts("metadata") });
}

function readWorkflowRetention(handler: JsonObject, type: HandlerType): Pick<HandlerSettings, "workflowRetentionMs"> {
  const workflowRetentionMs = handler.count("workflowCompletionRetention");
  if (workflowRetentionMs !== undefined && type !== "workflow") {
    throw new ManifestRuleError(
      handler.pathOf("workflowCompletionRetention"),
      "only the run handler of a workflow can set it",
    );
  }
  return present({ workflowRetentionMs });
}

function readSettings(owner: JsonObject): HandlerSettings {
  const maxAttempts = owner.count("retryPolicyMaxAttempts");
  const onMaxAttempts = owner.oneOf("retryPolicyOnMaxAttempts", ["PAUSE", "KILL"]);
  return present({
    ...readDeadlines(owner),
    inactivityTimeoutMs: owner.count("inactivityTimeout"),
    abortTimeoutMs: owner.count("abortTimeout"),
    journalRetentionMs: owner.count("journalRetention"),
    idempotencyRetentionMs: owner.count("idempotencyRetention"),
    lazyState: owner.flag("enableLazyState"),
    private: owner.flag("ingressPrivate"),
    retryInitialIntervalMs: owner.count("retryPolicyInitialInterval"),
    retryMaxIntervalMs: owner.count("retryPolicyMaxInterval"),
    retryFactor: owner.positive("retryPolicyExponentiationFactor"),
    // The first attempt counts and always takes place, so 0 means 1.
    retryMaxAttempts: maxAttempts === undefined ? undefined : Math.max(1, maxAttempts),
    retryOnMaxAttempts: onMaxAttempts === undefined ? undefined : onMaxAttempts === "KILL" ? "kill" : "pause",
  });
}

/** SDKs announce no deadlines, but they pass metadata of a service or a handler on. */
const DEADLINES = { startWithinMs: "stepwell/start-within", endWithinMs: "stepwell/end-within" } as const;

function readDeadlines(owner: JsonObject): Pick<HandlerSettings, keyof typeof DEADLINES> {
  const metadata = owner.texts("metadata") ?? {};
  const read = Object.entries(DEADLINES).flatMap(([setting, name]) => {
    const text = metadata[name];
    if (text === undefined) return [];
    const ms = parseDurationMs(text);
    const path = `${owner.pathOf("metadata")}.${name}`;
    if (ms === undefined) throw unlike(path, text, "a duration such as 30s, or 0s for no deadline");
    return [[setting, ms]];
  });
  return Object.fromEntries(read) as Pick<HandlerSettings, keyof typeof DEADLINES>;
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined members. For an absent setting the level above decides. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

function unique<T extends { readonly name: string }>(named: readonly T[], path: string, what: string): readonly T[] {
  const names = new Set<string>();
  for (const [position, { name }] of named.entries()) {
    if (names.has(name))
      throw new ManifestRuleError(`${path}[${position}].name`, `a second ${what} is named '${name}'`);
    names.add(name);
  }
  return named;
}

/** Serializing a schema recurses into each level, so a deeper schema could exhaust the stack. */
const LEVELS_MAX = 128;

/** @throws JsonShapeError, ManifestRuleError */
function readInputRule(input: JsonObject): InputRule {
  const contentType = input.text("contentType");
  if (contentType !== undefined && !isPattern(contentType)) {
    throw new ManifestRuleError(
      input.pathOf("contentType"),
      `'${contentType}' is no content type: expected "*/*", "type/*" or "type/subtype"`,
    );
  }
  return {
    required: input.flag("required") ?? false,
    ...(contentType === undefined ? {} : { contentType }),
    ...readSchema(input),
  };
}

/** @throws JsonShapeError, ManifestRuleError */
function readOutputRule(output: JsonObject): OutputRule {
  const contentType = output.text("contentType");
  return {
    ...(contentType === undefined ? {} : { contentType }),
    setContentTypeIfEmpty: output.flag("setContentTypeIfEmpty") ?? false,
    ...readSchema(output),
  };
}

/** Stepwell displays a schema and validates no body against it. A schema must not refer to another document. */
function readSchema(owner: JsonObject): { readonly jsonSchema?: unknown } {
  const jsonSchema = owner.any("jsonSchema");
  if (jsonSchema === undefined) return {};
  const path = owner.pathOf("jsonSchema");
  if (typeof jsonSchema !== "boolean" && (typeof jsonSchema !== "object" || Array.isArray(jsonSchema))) {
    throw unlike(path, jsonSchema, "a JSON schema");
  }
  const parts: { readonly part: unknown; readonly level: number }[] = [{ part: jsonSchema, level: 0 }];
  for (let next = parts.pop(); next !== undefined; next = parts.pop()) {
    const { part, level } = next;
    if (typeof part !== "object" || part === null) continue;
    if (level > LEVELS_MAX) throw new JsonShapeError(path, `is more than ${LEVELS_MAX} levels deep`);
    for (const [name, member] of Object.entries(part)) {
      if (name === "$ref" && typeof member === "string" && !member.startsWith("#")) {
        throw new ManifestRuleError(path, `the schema refers to '${member}' outside of itself`);
      }
      parts.push({ part: member, level: level + 1 });
    }
  }
  return { jsonSchema };
}

function isPattern(contentType: string): boolean {
  const [type, subtype, ...more] = withoutParameters(contentType).split("/");
  if (type === undefined || type === "" || subtype === undefined || subtype === "" || more.length > 0) return false;
  return type !== "*" || subtype === "*";
}

/** The media type without its parameters. */
function withoutParameters(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim();
}
