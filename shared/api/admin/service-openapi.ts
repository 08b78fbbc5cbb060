/** The OpenAPI document of one service, which describes calls of its handlers at the ingress. */
import type { Handler, InputRule, OutputRule } from "../../core/model/service.ts";
import { effectiveSettings } from "../../core/registry/effective-settings.ts";
import type { LatestRevision } from "../../core/registry/latest-revisions.ts";
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import type { AdminRequest } from "./admin-request.ts";
import { present, written } from "./present.ts";
import { latestRevision } from "./service-routes.ts";

const KEY = pathParameter("key", "The key of the object, or the id of the workflow.");
const ERROR_REF = { $ref: "#/components/schemas/Error" };
const FAILED = {
  description: "The request was refused, or the invocation has failed",
  content: { "application/json": { schema: ERROR_REF } },
};
const SCHEMAS = {
  Error: {
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
  Sent: {
    type: "object",
    required: ["invocationId", "status"],
    properties: {
      invocationId: { type: "string" },
      status: { type: "string", enum: ["Accepted", "PreviouslyAccepted"] },
      executionTime: { type: "string", format: "date-time" },
    },
  },
};

export async function showServiceOpenApi(asked: AdminRequest): Promise<HttpResponse> {
  const { service, deployment } = await latestRevision(asked);
  const { settings: server } = asked.engine;
  const isPublic = (handler: Handler | undefined): boolean =>
    effectiveSettings(service, handler, server.defaults, {}).public;
  // A private service accepts no outside call. Its document lists all handlers nevertheless.
  const shown = isPublic(undefined) ? service.handlers.filter(isPublic) : service.handlers;
  const endpoint = asked.deps.ingressEndpoint;
  return jsonResponse(200, {
    openapi: "3.1.0",
    info: {
      title: service.name,
      version: String(service.revision),
      ...present({ description: service.documentation, "x-restate-extensions": service.metadata }),
    },
    ...present({ servers: written(endpoint, (url) => [{ url }]) }),
    "x-deployment-id": deployment.id,
    paths: Object.assign({}, ...shown.map((handler) => handlerPaths(service, handler)), questionPaths(service)),
    components: { schemas: SCHEMAS },
  });
}

type Service = LatestRevision["service"];

function handlerPaths(service: Service, handler: Handler): object {
  const keyed = service.type === "service" ? "" : "/{key}";
  const path = `/${service.name}${keyed}/${handler.name}`;
  const shared = {
    tags: [service.name],
    ...present({ description: handler.documentation }),
    parameters: [
      ...(keyed === "" ? [] : [KEY]),
      // A workflow id already makes the run unique.
      ...(handler.type === "workflow" ? [] : [headerParameter("idempotency-key", "Calls with the same key run once.")]),
    ],
    ...present({ requestBody: requestBody(handler.input) }),
  };
  return {
    [`/restate/call${path}`]: {
      post: {
        operationId: `call-${handler.name}`,
        summary: `Call ${handler.name} and wait for its result`,
        ...shared,
        responses: { "200": { description: "The result", ...present(resultContent(handler.output)) }, default: FAILED },
      },
    },
    [`/restate/send${path}`]: {
      post: {
        operationId: `send-${handler.name}`,
        summary: `Send to ${handler.name} and do not wait`,
        ...shared,
        parameters: [...shared.parameters, queryParameter("delay", "How long to wait first, such as 10s or PT10S.")],
        responses: {
          "202": {
            description: "Accepted",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Sent" } } },
          },
          default: FAILED,
        },
      },
    },
  };
}

/** The paths that return a result: `attach` waits for it, `output` answers at once even if there is none yet. */
function questionPaths({ name, type, handlers }: Service): object {
  const isWorkflow = type === "workflow";
  const base = isWorkflow ? `/restate/workflow/${name}/{key}` : "/restate/invocation/{invocation_id}";
  const parameter = isWorkflow
    ? KEY
    : pathParameter("invocation_id", "The id that a call or a send was answered with.");
  const run = handlers.find((handler) => handler.type === "workflow");
  const result = { description: "The result", ...present(isWorkflow ? resultContent(run?.output) : {}) };
  const question = (operationId: string, summary: string, more: object) => ({
    get: {
      operationId,
      summary,
      tags: [name],
      parameters: [parameter],
      responses: { "200": result, ...more, default: FAILED },
    },
  });
  return {
    [`${base}/attach`]: question("attach", "Wait for the result", {}),
    [`${base}/output`]: question("output", "Ask for the result", { "470": { description: "There is no result yet" } }),
  };
}

function requestBody(rule: InputRule | undefined): object | undefined {
  if (rule === undefined) return { required: false, content: { "*/*": {} } };
  if (rule.contentType === undefined && rule.jsonSchema === undefined) return undefined;
  const schema = present({ schema: rule.jsonSchema });
  return { required: rule.required, content: { [rule.contentType ?? "application/json"]: schema } };
}

function resultContent(rule: OutputRule | undefined): { readonly content?: object } {
  if (rule === undefined) return { content: { "application/json": {} } };
  if (rule.contentType === undefined) return {};
  return { content: { [rule.contentType]: present({ schema: rule.jsonSchema }) } };
}

function pathParameter(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function queryParameter(name: string, description: string): object {
  return { name, in: "query", required: false, description, schema: { type: "string" } };
}

function headerParameter(name: string, description: string): object {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
