/** The call that is proposed for a deployment: it names a public handler, has a fitting body, and is safe to paste. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import {
  curlParts,
  inputTypeOf,
  isJsonType,
  proposedCall,
  sampleInput,
  type ProposedService,
} from "../../../shared/api/wire/proposed-call.ts";
import { sampleOf } from "../../../shared/api/wire/schema-sample.ts";

const JSON_HEADER = "-H 'content-type: application/json'";

type Handler = ProposedService["handlers"][number];

function handler(more: Partial<Handler> = {}): Handler {
  return { name: "h", public: true, input_description: "none", ...more };
}

function service(one: Handler | readonly Handler[], more: Partial<ProposedService> = {}): ProposedService {
  return { name: "S", ty: "Service", public: true, handlers: [one].flat(), ...more };
}

function lineOf(...services: readonly ProposedService[]): string | undefined {
  const call = proposedCall(services);
  return call && curlParts(call, "http://127.0.0.1:8080/").join(" ");
}

const json = (schema?: object): Handler =>
  handler({
    input_description: "application/json",
    input_content_type: "application/json",
    ...(schema && { input_json_schema: schema }),
  });
const typed = (type: string): Handler => handler({ input_description: type, input_content_type: type });
const members = {
  type: "object",
  required: ["name", "tags", "it's"],
  properties: { name: { type: "string" }, tags: { type: "array" }, "it's": { type: "integer" } },
};

it.each<readonly [string, ProposedService, string]>([
  ["without input", service(handler()), "curl -X POST http://127.0.0.1:8080/S/h"],
  ["with JSON", service(json()), `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '"Ada"'`],
  ["with a number", service(json({ type: "number" })), `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d 1`],
  [
    "with members",
    service(json(members)),
    `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '{"name":"Ada","tags":{},"it'\\''s":1}'`,
  ],
  [
    "with a type in capitals and a parameter",
    service(typed("Application/JSON; charset=utf-8")),
    `curl http://127.0.0.1:8080/S/h -H 'content-type: Application/JSON; charset=utf-8' -d '"Ada"'`,
  ],
  [
    "with a type of its own that has a schema",
    service(handler({ ...json({ type: "boolean" }), input_content_type: "application/vnd.x+json" })),
    "curl http://127.0.0.1:8080/S/h -H 'content-type: application/vnd.x+json' -d true",
  ],
  ["with any type", service(typed("*/*")), `curl http://127.0.0.1:8080/S/h ${JSON_HEADER} -d '"Ada"'`],
  ["with any text", service(typed("TEXT/*")), "curl http://127.0.0.1:8080/S/h -H 'content-type: text/plain' -d Ada"],
  [
    "with bytes",
    service(typed("image/png")),
    "curl http://127.0.0.1:8080/S/h -H 'content-type: image/png' --data-binary @payload.bin",
  ],
  [
    "of an object",
    service([handler({ name: "read", ty: "Shared" }), handler({ name: "add", ty: "Exclusive" })], {
      name: "O",
      ty: "VirtualObject",
    }),
    "curl -X POST http://127.0.0.1:8080/O/my-key/add",
  ],
  [
    "of a workflow",
    service([handler({ name: "status", ty: "Shared" }), handler({ name: "run", ty: "Workflow" })], {
      name: "W",
      ty: "Workflow",
    }),
    "curl -X POST http://127.0.0.1:8080/W/my-key/run",
  ],
])("the line fits a handler %s", (_what, announced, line) => expect(lineOf(announced)).toBe(line));

it("a service without keys is proposed before others, and private services and handlers never", () => {
  const keyed = service(handler(), { name: "O", ty: "VirtualObject" });
  expect(lineOf(keyed, service(handler()))).toBe("curl -X POST http://127.0.0.1:8080/S/h");
  const hidden = service(handler(), { public: false });
  expect(lineOf(hidden)).toBeUndefined();
  expect(lineOf(service(handler({ public: false })))).toBeUndefined();
  expect(lineOf(hidden, keyed)).toBe("curl -X POST http://127.0.0.1:8080/O/my-key/h");
  expect(lineOf(service(handler({ name: "a b" })))).toBeUndefined();
});

it("a server that states no content type is understood by its description", () => {
  const of = (input_description: string, schema?: object) =>
    inputTypeOf({ input_description, ...(schema && { input_json_schema: schema }) });
  expect([of("none"), of("*/*"), of("JSON string", {}), of("text/csv")]).toEqual([
    undefined,
    "application/json",
    "application/json",
    "text/csv",
  ]);
});

it("the media type of JSON has no case, may have parameters and a prefix, and is not any type that begins so", () => {
  for (const type of ["application/json", "APPLICATION/Json;charset=utf-8", "application/problem+json ; x=1"])
    expect([type, isJsonType(type)]).toEqual([type, true]);
  for (const type of ["application/jsonl", "text/json", "application/cbor", undefined])
    expect([type, isJsonType(type)]).toEqual([type, false]);
});

it("the sample of a schema whose members refer to it ten times over stays small", () => {
  const names = Array.from({ length: 10 }, (_, n) => `m${n}`);
  const endless = {
    type: "object",
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])),
  };
  expect(JSON.stringify(sampleOf(endless)).length).toBeLessThan(60_000);
});

it("a shell splits the line into the intended words, also with quotes, dollars and new lines in the sample", async () => {
  const nasty = "it's $(rm) `x`\n\\";
  const line = lineOf(service(json({ type: "string", default: nasty })))!;
  const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${line}`]);
  expect(stdout.trim().split("\n")).toEqual([
    "curl",
    "http://127.0.0.1:8080/S/h",
    "-H",
    "content-type: application/json",
    "-d",
    JSON.stringify(nasty),
  ]);
});

it("the sample is written by the given function, which may keep the digits of a number", () => {
  expect(sampleInput(json({ type: "number" }), () => "1.0")).toBe("1.0");
});
