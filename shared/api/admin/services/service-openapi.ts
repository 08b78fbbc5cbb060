/**
 * The OpenAPI document of one service, which describes calls of its handlers at the ingress. Paths, operation ids, tags and
 * components have the names that the reference server gives them, because clients are generated from these names.
 */
import type { Handler, InputRule, OutputRule } from "../../../core/model/service.ts";
import { effectiveSettings } from "../../../core/registry/effective-settings.ts";
import type { LatestRevision } from "../../../core/registry/latest-revisions.ts";
import type { EngineSettings } from "../../../engine/ports/engine-settings.ts";
import { present, written } from "../requests/json-members.ts";
import {
  handlerSchemas,
  PARAMETERS,
  parameterRef,
  responseRef,
  RESPONSES,
  schemaRef,
  SCHEMAS,
} from "./service-components.ts";

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
      parameters: PARAMETERS,
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
        parameters: [...key, ...idempotency],
        ...body,
        responses: { "200": result(handler), default: responseRef("GenericError") },
      },
    },
    [`/restate/send${path}`]: {
      post: {
        operationId: `${handler.name}Send`,
        tags: ["Send"],
        ...about(`Send to ${name} and do not wait`),
        parameters: [...key, ...idempotency, parameterRef("delay")],
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
