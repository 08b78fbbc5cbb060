/**
 * The OpenAPI document of one service, which describes calls of its handlers at the ingress. Paths, operation ids, tags and
 * components have the names that the reference server gives them, because clients are generated from these names.
 */
import type { Handler, InputRule, OutputRule } from "../../../core/model/service.ts";
import { REQUEST_OPTIONS } from "../../../core/model/request-options.ts";
import { effectiveSettings } from "../../../core/registry/effective-settings.ts";
import type { LatestRevision } from "../../../core/registry/latest-revisions.ts";
import type { EngineSettings } from "../../../engine/ports/engine-settings.ts";
import { present, written } from "../requests/json-members.ts";

const TAGS = [
  { name: "Request Response", description: "Call a handler and wait for its result" },
  { name: "Send", description: "Send to a handler and do not wait" },
  { name: "Attach", description: "Wait for the result of an invocation" },
  { name: "Get Output", description: "Ask for the result of an invocation" },
];
const INVOCATION_ID = {
  name: "invocation_id",
  in: "path",
  required: true,
  description: "The id that a call or a send was answered with.",
  schema: { type: "string" },
};

/** @param endpoint the address of the ingress, if it is known */
export function serviceOpenApi(
  { service, deployment }: LatestRevision,
  server: EngineSettings,
  endpoint?: string,
): object {
  const isPublic = (handler: Handler | undefined): boolean =>
    effectiveSettings(service, handler, server.defaults, {}).public;
  // A private service accepts no outside call. Its document lists all handlers nevertheless.
  const shown = isPublic(undefined) ? service.handlers.filter(isPublic) : service.handlers;
  return {
    openapi: "3.1.0",
    info: {
      title: service.name,
      version: String(service.revision),
      ...present({ description: service.documentation, "x-restate-extensions": service.metadata }),
    },
    ...present({ servers: written(endpoint, (url) => [{ url }]) }),
    tags: TAGS,
    "x-deployment-id": deployment.id,
    paths: Object.assign({}, ...shown.map((handler) => handlerPaths(service, handler)), invocationPaths(service)),
    components: {
      schemas: Object.assign({}, SCHEMAS, ...shown.map(handlerSchemas)),
      parameters: { ...PARAMETERS, ...OPTIONS },
      responses: RESPONSES,
    },
  };
}

type Service = LatestRevision["service"];

function handlerPaths(service: Service, handler: Handler): object {
  const keyed = service.type === "service" ? "" : "/{key}";
  const path = `/${service.name}${keyed}/${handler.name}`;
  const key = keyed === "" ? [] : [parameterRef("key")];
  // A workflow id already makes the run unique.
  const idempotency = service.type === "workflow" ? [] : [parameterRef("idempotencyKeyHeader")];
  const options = Object.values(REQUEST_OPTIONS)
    .filter(({ notForRuns }) => handler.type !== "workflow" || notForRuns !== true)
    .map(({ header }) => optionRef(header));
  const name = `${service.name}/${handler.name}`;
  const about = (description: string) => ({
    summary: handler.name,
    description: handler.documentation ?? description,
    ...present({ "x-restate-extensions": handler.metadata }),
  });
  const body = present({ requestBody: requestBody(handler) });
  return {
    [`/restate/call${path}`]: {
      post: {
        operationId: handler.name,
        ...about(`Call ${name} and wait for its result`),
        parameters: [...key, ...idempotency, ...options],
        ...body,
        responses: { "200": result(handler), default: responseRef("GenericError") },
      },
    },
    [`/restate/send${path}`]: {
      post: {
        operationId: `${handler.name}Send`,
        tags: ["Send"],
        ...about(`Send to ${name} and do not wait`),
        parameters: [...key, ...idempotency, parameterRef("delay"), ...options],
        ...body,
        responses: {
          // With 200 the invocation exists already, under the same idempotency key.
          "200": responseRef("Send"),
          "202": responseRef("Send"),
          default: responseRef("GenericError"),
        },
      },
    },
    ...resultPaths(service, handler, about),
  };
}

/** The paths for the result of an earlier call by its idempotency key, or of a workflow's run by the workflow id. */
function resultPaths(service: Service, handler: Handler, about: (description: string) => object): object {
  const isRun = handler.type === "workflow";
  if (service.type === "workflow" && !isRun) return {};
  const keyed = service.type === "service" ? "" : "/{key}";
  const base = isRun
    ? `/restate/workflow/${service.name}/{key}`
    : `/restate/invocation/${service.name}${keyed}/${handler.name}/{idempotencyKey}`;
  const parameters = [
    ...(keyed === "" ? [] : [parameterRef("key")]),
    ...(isRun ? [] : [parameterRef("idempotencyKeyPath")]),
  ];
  return questions(base, { id: handler.name, about, parameters, ok: result(handler) });
}

/** The paths for the result of any invocation, by its id. */
function invocationPaths(service: Service): object {
  if (service.type === "workflow") return {};
  return questions("/restate/invocation/{invocation_id}", {
    id: "invocationById",
    about: (description) => ({ summary: description }),
    parameters: [INVOCATION_ID],
    ok: { description: "The result" },
  });
}

interface Question {
  readonly id: string;
  readonly about: (description: string) => object;
  readonly parameters: readonly object[];
  readonly ok: object;
}

/** `attach` waits for the result, `output` answers at once even if there is none yet. */
function questions(base: string, { id, about, parameters, ok }: Question): object {
  const notFound = { "404": responseRef("InvocationNotFoundError") };
  const failed = { default: responseRef("GenericError") };
  return {
    [`${base}/attach`]: {
      get: {
        operationId: `${id}Attach`,
        tags: ["Attach"],
        ...about("Wait for the result"),
        parameters,
        responses: { "200": ok, ...notFound, ...failed },
      },
    },
    [`${base}/output`]: {
      get: {
        operationId: `${id}Output`,
        tags: ["Get Output"],
        ...about("Ask for the result"),
        parameters,
        responses: { "200": ok, ...notFound, "470": responseRef("InvocationNotReadyError"), ...failed },
      },
    },
  };
}

function requestBody({ name, input }: Handler): object | undefined {
  if (input === undefined) return { required: false, content: { "*/*": {} } };
  if (input.contentType === undefined && input.jsonSchema === undefined) return undefined;
  return {
    required: input.required,
    content: { [input.contentType ?? "application/json"]: schemaOf(input, `${name}Request`) },
  };
}

function result({ name, output }: Handler): object {
  if (output === undefined) return { description: "The result", content: { "application/json": {} } };
  if (output.contentType === undefined) return { description: "The result, which is empty" };
  return { description: "The result", content: { [output.contentType]: schemaOf(output, `${name}Response`) } };
}

function schemaOf(rule: InputRule | OutputRule, component: string): object {
  return rule.jsonSchema === undefined ? {} : { schema: schemaRef(component) };
}

/** The components of a service's OpenAPI document: parameters, answers, and the schemas of its handlers. */
const SCHEMAS = {
  RestateError: {
    title: "RestateError",
    type: "object",
    required: ["code", "message"],
    properties: {
      code: { type: "integer" },
      message: { type: "string" },
      metadata: { type: "object", additionalProperties: { type: "string" } },
      stacktrace: { type: "string" },
      source: { type: "string", enum: ["ingress", "invocation"] },
    },
  },
};

const PARAMETERS = {
  key: {
    name: "key",
    in: "path",
    required: true,
    description: "The key of the object, or the id of the workflow.",
    schema: { type: "string" },
  },
  delay: {
    name: "delay",
    in: "query",
    required: false,
    description: "How long to wait first, such as 10s or PT10S.",
    schema: { type: "string" },
  },
  idempotencyKeyHeader: {
    name: "idempotency-key",
    in: "header",
    required: false,
    description: "Calls with the same key run once.",
    schema: { type: "string" },
  },
  idempotencyKeyPath: {
    name: "idempotencyKey",
    in: "path",
    required: true,
    description: "The idempotency key of the earlier call.",
    schema: { type: "string" },
  },
};

/** The headers by which a request sets its options; each component has the name of its header. */
const OPTIONS = Object.fromEntries(
  Object.values(REQUEST_OPTIONS).map(({ header, values, example, meaning }) => [
    header,
    {
      name: header,
      in: "header",
      required: false,
      description: `${meaning} A ${values}.`,
      schema: { type: "string" },
      example,
    },
  ]),
);

const SENT = {
  title: "RestateSendResponse",
  type: "object",
  required: ["invocationId", "status"],
  properties: {
    invocationId: { type: "string" },
    status: { type: "string", enum: ["Accepted", "PreviouslyAccepted"] },
    executionTime: { type: "string", format: "date-time" },
  },
};

const RESPONSES = {
  GenericError: failure("The request was refused, or the invocation has failed"),
  InvocationNotFoundError: failure("There is no such invocation"),
  InvocationNotReadyError: failure("The invocation has no result yet"),
  Send: { description: "Accepted", content: { "application/json": { schema: SENT } } },
};

/** The schemas of a handler's input and output, by the names of their components. */
function handlerSchemas({ name, input, output }: Handler): Readonly<Record<string, unknown>> {
  const schemas = [
    [`${name}Request`, input?.jsonSchema],
    [`${name}Response`, output?.jsonSchema],
  ] as const;
  return Object.fromEntries(
    schemas.flatMap(([component, schema]) =>
      schema === undefined ? [] : [[component, rebased(schema, `#/components/schemas/${component}`)]],
    ),
  );
}

function schemaRef(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

function parameterRef(name: keyof typeof PARAMETERS): object {
  return { $ref: `#/components/parameters/${name}` };
}

function optionRef(header: string): object {
  return { $ref: `#/components/parameters/${header}` };
}

function responseRef(name: keyof typeof RESPONSES): object {
  return { $ref: `#/components/responses/${name}` };
}

function failure(description: string): object {
  return { description, content: { "application/json": { schema: schemaRef("RestateError") } } };
}

/** Members whose value is data, in which `$ref` and `$id` are plain names. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** Members that map names to schemas: inside them, `$ref` and `$id` may be names, too. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** A schema with an id, or the whole schema: references inside it are relative to its root. */
interface Resource {
  readonly at: string;
  /** The new reference for each of its anchors. */
  readonly anchors: ReadonlyMap<string, string>;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Removes ids and anchors: generators of clients look up each reference in the document, and two handlers may announce
 * the same id. A reference to an unknown anchor stays as it is.
 * @param at the reference to the component
 */
export function rebased(schema: unknown, at: string): unknown {
  return moved(schema, at, resourceOf(schema, at), false);
}

function moved(part: unknown, at: string, around: Resource, isMap: boolean): unknown {
  if (Array.isArray(part)) return part.map((inner, index) => moved(inner, `${at}/${index}`, around, false));
  if (!isMembers(part)) return part;
  const resource = !isMap && around.at !== at && hasId(part) ? resourceOf(part, at) : around;
  const members: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(part)) {
    if (isMap) members.push([name, moved(inner, pointer(at, name), resource, false)]);
    else if (typeof inner === "string" && (name === "$id" || name === "$anchor")) continue;
    else if (typeof inner === "string" && name === "$ref") members.push([name, target(inner, resource)]);
    else members.push([name, DATA.has(name) ? inner : moved(inner, pointer(at, name), resource, MAPS.has(name))]);
  }
  return Object.fromEntries(members);
}

function target(reference: string, { at, anchors }: Resource): string {
  const isPointer = reference === "#" || reference.startsWith("#/");
  return isPointer ? at + reference.slice(1) : (anchors.get(reference) ?? reference);
}

function resourceOf(root: unknown, at: string): Resource {
  const anchors = new Map<string, string>();
  const collect = (part: unknown, place: string, isMap: boolean): void => {
    if (Array.isArray(part)) return part.forEach((inner, index) => collect(inner, `${place}/${index}`, false));
    if (!isMembers(part) || (!isMap && place !== at && hasId(part))) return;
    if (!isMap) for (const name of anchorsOf(part)) anchors.set(name, place);
    for (const [name, inner] of Object.entries(part)) {
      if (isMap || !DATA.has(name)) collect(inner, pointer(place, name), !isMap && MAPS.has(name));
    }
  };
  collect(root, at, false);
  return { at, anchors };
}

/** Older drafts write an anchor as an id with a leading `#`. */
function anchorsOf({ $anchor, $id }: Members): readonly string[] {
  const named = typeof $anchor === "string" ? [`#${$anchor}`] : [];
  return typeof $id === "string" && $id.startsWith("#") ? [...named, $id] : named;
}

function hasId({ $id }: Members): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}

function pointer(at: string, name: string): string {
  return `${at}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%24", "$")}`;
}

function isMembers(part: unknown): part is Members {
  return typeof part === "object" && part !== null;
}
