/** Compares the OpenAPI documents of services with those of restate-server 1.7.12 for the same services. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { REQUEST_OPTIONS } from "../../../shared/core/model/request-options.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "./sample-endpoint.ts";

const PERSON = {
  type: "object",
  properties: { friend: { $ref: "#/$defs/Friend" }, pet: { $ref: "#/definitions/Pet" } },
  $defs: { Friend: { type: "object", properties: { again: { $ref: "#/$defs/Friend" }, root: { $ref: "#" } } } },
  definitions: { Pet: { type: "string" } },
};
const JSON_OF = (jsonSchema: object) => ({ contentType: "application/json", jsonSchema });
const SERVICES = [
  {
    name: "Greeter",
    ty: "SERVICE",
    handlers: [
      {
        name: "greet",
        documentation: "does greet",
        metadata: { a: "b" },
        input: { required: true, ...JSON_OF(PERSON) },
        output: JSON_OF({ type: "string" }),
      },
      { name: "bare" },
      { name: "none", input: {}, output: {} },
      { name: "hidden", ingressPrivate: true },
    ],
  },
  { name: "Counter", ty: "VIRTUAL_OBJECT", handlers: [{ name: "add", ty: "EXCLUSIVE" }] },
  {
    name: "Signup",
    ty: "WORKFLOW",
    handlers: [
      { name: "run", ty: "WORKFLOW" },
      { name: "status", ty: "SHARED" },
    ],
  },
];

/** The reference's operations by path: the id, the components of the parameters, and the answers. */
const REFERENCE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Greeter: {
    "/restate/call/Greeter/greet": "greet idempotencyKeyHeader 200 default:GenericError",
    "/restate/call/Greeter/bare": "bare idempotencyKeyHeader 200 default:GenericError",
    "/restate/call/Greeter/none": "none idempotencyKeyHeader 200 default:GenericError",
    "/restate/send/Greeter/greet": "greetSend idempotencyKeyHeader,delay 200:Send 202:Send default:GenericError",
    "/restate/send/Greeter/bare": "bareSend idempotencyKeyHeader,delay 200:Send 202:Send default:GenericError",
    "/restate/send/Greeter/none": "noneSend idempotencyKeyHeader,delay 200:Send 202:Send default:GenericError",
    "/restate/invocation/Greeter/greet/{idempotencyKey}/attach":
      "greetAttach idempotencyKeyPath 200 404:InvocationNotFoundError default:GenericError",
    "/restate/invocation/Greeter/greet/{idempotencyKey}/output":
      "greetOutput idempotencyKeyPath 200 404:InvocationNotFoundError 470:InvocationNotReadyError default:GenericError",
  },
  Counter: {
    "/restate/call/Counter/{key}/add": "add key,idempotencyKeyHeader 200 default:GenericError",
    "/restate/send/Counter/{key}/add": "addSend key,idempotencyKeyHeader,delay 200:Send 202:Send default:GenericError",
    "/restate/invocation/Counter/{key}/add/{idempotencyKey}/attach":
      "addAttach key,idempotencyKeyPath 200 404:InvocationNotFoundError default:GenericError",
    "/restate/invocation/Counter/{key}/add/{idempotencyKey}/output":
      "addOutput key,idempotencyKeyPath 200 404:InvocationNotFoundError 470:InvocationNotReadyError default:GenericError",
  },
  Signup: {
    "/restate/call/Signup/{key}/run": "run key 200 default:GenericError",
    "/restate/call/Signup/{key}/status": "status key 200 default:GenericError",
    "/restate/send/Signup/{key}/run": "runSend key,delay 200:Send 202:Send default:GenericError",
    "/restate/send/Signup/{key}/status": "statusSend key,delay 200:Send 202:Send default:GenericError",
    "/restate/workflow/Signup/{key}/attach": "runAttach key 200 404:InvocationNotFoundError default:GenericError",
    "/restate/workflow/Signup/{key}/output":
      "runOutput key 200 404:InvocationNotFoundError 470:InvocationNotReadyError default:GenericError",
  },
};

let plane: AdminPlane;
let endpoint: SampleEndpoint;

beforeEach(async () => {
  plane = await openAdminPlane();
  endpoint = await startEndpoint(manifestOf(SERVICES));
  await plane.ask("POST", "/deployments", { uri: endpoint.uri });
});
afterEach(async () => {
  await endpoint.close();
  await plane.close();
});

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** False for the headers of Stepwell's own options. */
const isOfReference = (component: string): boolean => !component.startsWith("x-stepwell-");

/** The operation in the notation of `REFERENCE`. */
function inShort({ operationId, parameters, responses }: Operation): string {
  const last = (ref: string | undefined): string => ref?.split("/").at(-1) ?? "";
  const answers = Object.entries(responses).map(([status, { $ref }]) =>
    $ref === undefined ? status : `${status}:${last($ref)}`,
  );
  const known = parameters.map(({ $ref }) => last($ref)).filter(isOfReference);
  return [operationId, known.join(","), ...answers].join(" ");
}

const documentOf = async (service: string) => (await plane.ask("GET", `/services/${service}/openapi`)).json;

test.each(Object.keys(REFERENCE))("%s has the operations and components of the reference", async (service) => {
  const { paths, components, tags } = await documentOf(service);
  for (const [path, expected] of Object.entries(REFERENCE[service]!)) {
    const [operation] = Object.values(paths[path] ?? {});
    expect(operation && inShort(operation as Operation), path).toBe(expected);
  }
  expect(Object.keys(components.parameters).filter(isOfReference).sort()).toEqual([
    "delay",
    "idempotencyKeyHeader",
    "idempotencyKeyPath",
    "key",
  ]);
  expect(Object.keys(components.responses).sort()).toEqual([
    "GenericError",
    "InvocationNotFoundError",
    "InvocationNotReadyError",
    "Send",
  ]);
  expect(components.schemas).toHaveProperty("RestateError");
  expect(tags.map(({ name }: { name: string }) => name)).toEqual(["Request Response", "Send", "Attach", "Get Output"]);
});

test("each operation has its own id, and each reference leads to a place in the document", async () => {
  for (const service of Object.keys(REFERENCE)) {
    const document = await documentOf(service);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object) as Operation[]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(5);
    for (const path of references) {
      const found = path
        .split("/")
        .reduce((value: unknown, name) => (value as Record<string, unknown>)?.[name], document);
      expect(found, path).toBeDefined();
    }
  }
});

test("a schema of a handler becomes a component, and references within the schema lead into it", async () => {
  const { paths, components } = await documentOf("Greeter");
  expect(Object.keys(components.schemas).sort()).toEqual(["RestateError", "greetRequest", "greetResponse"]);
  expect(components.schemas.greetRequest).toEqual({
    type: "object",
    properties: {
      friend: { $ref: "#/components/schemas/greetRequest/$defs/Friend" },
      pet: { $ref: "#/components/schemas/greetRequest/definitions/Pet" },
    },
    $defs: {
      Friend: {
        type: "object",
        properties: {
          again: { $ref: "#/components/schemas/greetRequest/$defs/Friend" },
          root: { $ref: "#/components/schemas/greetRequest" },
        },
      },
    },
    definitions: { Pet: { type: "string" } },
  });
  const greet = paths["/restate/call/Greeter/greet"].post;
  expect(greet).toMatchObject({ summary: "greet", description: "does greet", "x-restate-extensions": { a: "b" } });
  const none = paths["/restate/call/Greeter/none"].post;
  expect([none.requestBody, none.responses["200"].content]).toEqual([undefined, undefined]);
  const bare = paths["/restate/call/Greeter/bare"].post;
  expect(bare.requestBody).toEqual({ required: false, content: { "*/*": {} } });
});

test("calls and sends have the headers of the options, and the run of a workflow has those that it may use", async () => {
  const headersOf = async (service: string, path: string) => {
    const { paths } = await documentOf(service);
    const { parameters } = paths[path].post as Operation;
    return parameters.flatMap(({ $ref = "" }) => $ref.split("/").filter((part) => !isOfReference(part)));
  };
  const all = Object.values(REQUEST_OPTIONS).map(({ header }) => header);
  expect(await headersOf("Greeter", "/restate/call/Greeter/greet")).toEqual(all);
  expect(await headersOf("Greeter", "/restate/send/Greeter/greet")).toEqual(all);
  expect(await headersOf("Signup", "/restate/call/Signup/{key}/run")).toEqual(all.slice(0, 3));
});
