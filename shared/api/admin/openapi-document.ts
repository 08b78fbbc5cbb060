/** Generates the OpenAPI document of the admin API from the routes and from the schemas of their requests and answers. */
import * as z from "zod";
import type { AdminRouteRow, RouteDescription } from "./requests/admin-request.ts";
import { AdminErrorBody } from "../contract/server.ts";

type Schemas = Record<string, unknown>;
interface NamedSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $defs?: Readonly<Record<string, NamedSchema>>;
}

/** @param version the version of the program */
export function openApiDocument(routes: readonly AdminRouteRow[], version: string) {
  const schemas: Schemas = {};
  const refer = (schema: z.ZodType, direction: "input" | "output"): object => {
    const json = JSON.stringify(z.toJSONSchema(schema, { io: direction, unrepresentable: "any" }));
    return collected(JSON.parse(json.replaceAll('"#/$defs/', '"#/components/schemas/')) as NamedSchema, schemas);
  };
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, pattern, operation } of routes) {
    const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    const path = pattern.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[method.toLowerCase()] = {
      ...(operation && { summary: operation.summary }),
      parameters: [...names.map(pathParameter), ...queryParameters(operation)],
      ...(operation?.body && { requestBody: requestBody(operation.body, refer) }),
      responses: responses(operation, refer),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Stepwell admin API", version, description: "Every path is also available under /v2, /v3 and /v4." },
    paths,
    components: { schemas },
  };
}

/** Moves named schemas to the components, each of them once. */
function collected(json: NamedSchema, schemas: Schemas): object {
  const { $defs, $schema: _, id, ...schema } = json;
  for (const [name, { id: known, ...definition }] of Object.entries($defs ?? {})) schemas[known ?? name] = definition;
  if (id === undefined) return schema;
  schemas[id] = schema;
  return { $ref: `#/components/schemas/${id}` };
}

type Refer = (schema: z.ZodType, direction: "input" | "output") => object;

function requestBody(bodies: readonly z.ZodType[], refer: Refer): object {
  const schemas = bodies.map((body) => refer(body, "input"));
  return {
    content: { "application/json": { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } } },
  };
}

function responses(operation: RouteDescription | undefined, refer: Refer): object {
  const codes = operation?.codes === undefined ? "" : `, among others with ${operation.codes.join(", ")}`;
  const refused = {
    description: `The request is refused${codes}`,
    content: { "application/json": { schema: refer(AdminErrorBody, "output") } },
  };
  const answers = Object.entries(operation?.answers ?? {}).map(([status, schema]) => {
    const content = schema && { content: { "application/json": { schema: refer(schema, "output") } } };
    return [status, { description: Number(status) === 202 ? "Accepted" : "Done", ...content }] as const;
  });
  return { ...Object.fromEntries(answers), default: refused };
}

function pathParameter(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function queryParameters(operation: RouteDescription | undefined): readonly object[] {
  if (operation?.query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(operation.query, { io: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as { readonly description?: string };
    return { name, in: "query", required: false, ...(description && { description }), schema };
  });
}
