/** The command that calls a handler: it names a public handler, has a fitting body, and is safe to paste. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { firstCall } from "../../../functions/local/first-call.ts";
import { parseManifest } from "../../../shared/core/protocol/manifest.ts";

const URL_OF_INGRESS = "http://127.0.0.1:8080/";
const JSON_HEADER = "-H 'content-type: application/json'";

type Deployment = Parameters<typeof firstCall>[1];

function callOf(...services: readonly object[]): string | undefined {
  const manifest = { protocolMode: "BIDI_STREAM", minProtocolVersion: 5, maxProtocolVersion: 7, services };
  const type = "application/vnd.restate.endpointmanifest.v4+json";
  const read = parseManifest(type, new TextEncoder().encode(JSON.stringify(manifest)), { min: 5, max: 7 });
  return firstCall(URL_OF_INGRESS, { services: read.services } as Deployment);
}

const service = (handler: object, more: object = {}) => ({
  name: "S",
  ty: "SERVICE",
  handlers: [{ name: "h", ...handler }],
  ...more,
});
const input = (jsonSchema?: object) => ({ input: { required: false, contentType: "application/json", jsonSchema } });

it.each<readonly [string, object, string]>([
  ["without input", service({}), "curl -X POST http://127.0.0.1:8080/S/h"],
  ["with JSON", service(input()), `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '"Ada"'`],
  ["with a number", service(input({ type: "number" })), `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '1'`],
  [
    "with members",
    service(
      input({
        type: "object",
        required: ["name", "tags", "it's", "deep"],
        properties: { name: { type: "string" }, tags: { type: "array" }, deep: { type: "object", required: ["a"] } },
      }),
    ),
    `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '{"name":"Ada","tags":[],"deep":{"a":{}}}'`,
  ],
  [
    "with bytes",
    service({ input: { required: true, contentType: "image/png" } }),
    "curl -X POST http://127.0.0.1:8080/S/h",
  ],
  [
    "of an object",
    {
      name: "O",
      ty: "VIRTUAL_OBJECT",
      handlers: [
        { name: "read", ty: "SHARED" },
        { name: "add", ty: "EXCLUSIVE" },
      ],
    },
    "curl -X POST http://127.0.0.1:8080/O/my-key/add",
  ],
  [
    "of a workflow",
    {
      name: "W",
      ty: "WORKFLOW",
      handlers: [
        { name: "status", ty: "SHARED" },
        { name: "run", ty: "WORKFLOW" },
      ],
    },
    "curl -X POST http://127.0.0.1:8080/W/my-key/run",
  ],
])("the command fits a handler %s", (_what, announced, command) => expect(callOf(announced)).toBe(command));

it("the command passes over private services and handlers, and is absent if no handler is public", () => {
  const hidden = service({}, { ingressPrivate: true });
  expect(callOf(hidden)).toBeUndefined();
  expect(callOf(service({ ingressPrivate: true }))).toBeUndefined();
  expect(callOf(hidden, { ...service({}), name: "Open" })).toBe("curl -X POST http://127.0.0.1:8080/Open/h");
});

it("a shell splits the command into the intended words", async () => {
  const command = callOf(service(input({ type: "object", required: ["a"], properties: { a: { type: "string" } } })))!;
  const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${command}`]);
  expect(stdout.trim().split("\n")).toEqual([
    "curl",
    "http://127.0.0.1:8080/S/h",
    "-H",
    "content-type: application/json",
    "-d",
    '{"a":"Ada"}',
  ]);
});
