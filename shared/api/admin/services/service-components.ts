/** The components of a service's OpenAPI document: parameters, answers, and the schemas of its handlers. */
import type { Handler } from "../../../core/model/service.ts";
import { rebased } from "./rebased-schema.ts";

export const SCHEMAS = {
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

export const PARAMETERS = {
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

export const RESPONSES = {
  GenericError: failure("The request was refused, or the invocation has failed"),
  InvocationNotFoundError: failure("There is no such invocation"),
  InvocationNotReadyError: failure("The invocation has no result yet"),
  Send: { description: "Accepted", content: { "application/json": { schema: SENT } } },
};

/** The schemas of a handler's input and output, by the names of their components. */
export function handlerSchemas({ name, input, output }: Handler): Readonly<Record<string, unknown>> {
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

export function schemaRef(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameterRef(name: keyof typeof PARAMETERS): object {
  return { $ref: `#/components/parameters/${name}` };
}

export function responseRef(name: keyof typeof RESPONSES): object {
  return { $ref: `#/components/responses/${name}` };
}

function failure(description: string): object {
  return { description, content: { "application/json": { schema: schemaRef("RestateError") } } };
}
