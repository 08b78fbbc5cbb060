/** Tests how valid manifests are read, with all their options. */
import { expect, test } from "vitest";
import { MANIFEST_ACCEPT, parseManifest, type Manifest } from "../../../shared/core/protocol/manifest.ts";
import { text } from "./hex.ts";
import { endpoint, parse, withHandler, withService } from "./sample-manifest.ts";

const handlerOf = (manifest: Manifest) => manifest.services[0]!.handlers[0]!;

test.each([1, 2, 3, 4])("a small manifest of v%i is read", (version) => {
  const body = text(JSON.stringify(withService({})));
  expect(parseManifest(`application/vnd.restate.endpointmanifest.v${version}+json`, body)).toEqual({
    protocolMode: "bidi-stream",
    minProtocolVersion: 5,
    maxProtocolVersion: 7,
    services: [
      { name: "Greeter", type: "service", settings: {}, handlers: [{ name: "greet", type: "service", settings: {} }] },
    ],
  });
});

test("the accept header offers all four versions", () => {
  expect(MANIFEST_ACCEPT.split(", ")).toEqual(
    [1, 2, 3, 4].map((v) => `application/vnd.restate.endpointmanifest.v${v}+json`),
  );
});

test("every option of services and handlers is read", () => {
  const options = {
    documentation: "Greets.",
    metadata: { team: "a", ["__proto__"]: "b" },
    inactivityTimeout: 1,
    abortTimeout: 2,
    journalRetention: 3,
    enableLazyState: true,
    ingressPrivate: true,
    retryPolicyInitialInterval: 5,
    retryPolicyMaxInterval: 6,
    retryPolicyExponentiationFactor: 1.5,
    retryPolicyMaxAttempts: 0,
    retryPolicyOnMaxAttempts: "KILL",
  };
  const settings = {
    inactivityTimeoutMs: 1,
    abortTimeoutMs: 2,
    journalRetentionMs: 3,
    lazyState: true,
    private: true,
    retryInitialIntervalMs: 5,
    retryMaxIntervalMs: 6,
    retryFactor: 1.5,
    retryMaxAttempts: 1,
    retryOnMaxAttempts: "kill",
  };
  const run = { name: "run", ty: "WORKFLOW", workflowCompletionRetention: 7, ...options };
  const peek = { name: "peek", ty: "SHARED", idempotencyRetention: 4, retryPolicyOnMaxAttempts: "PAUSE" };
  const flow = { name: "My-Flow.v1", ty: "WORKFLOW", handlers: [run, peek], idempotencyRetention: 4, ...options };
  const manifest = parse({
    ...endpoint,
    protocolMode: "REQUEST_RESPONSE",
    lambdaCompression: "zstd",
    services: [flow],
  });
  expect(manifest).toMatchObject({ protocolMode: "request-response", lambdaCompression: "zstd" });
  const [read] = manifest.services;
  expect(read).toMatchObject({ name: "My-Flow.v1", type: "workflow", documentation: "Greets." });
  expect(Object.entries(read!.metadata!)).toEqual([
    ["team", "a"],
    ["__proto__", "b"],
  ]);
  expect(read!.settings).toEqual({ ...settings, idempotencyRetentionMs: 4 });
  expect(read!.handlers[0]).toMatchObject({ name: "run", type: "workflow", documentation: "Greets." });
  expect(read!.handlers[0]!.settings).toEqual({ ...settings, workflowRetentionMs: 7 });
  expect(read!.handlers[1]!.settings).toEqual({ idempotencyRetentionMs: 4, retryOnMaxAttempts: "pause" });
});

test("input and output rules are kept", () => {
  const jsonSchema = { type: "object", properties: { $ref: { $ref: "#/$defs/a" } } };
  const full = { required: true, contentType: "application/json", jsonSchema };
  const output = { contentType: "text/plain", setContentTypeIfEmpty: true, jsonSchema: true };
  expect(handlerOf(parse(withHandler({ input: full, output })))).toMatchObject({ input: full, output });
  const empty = handlerOf(parse(withHandler({ input: {}, output: {} })));
  expect(empty.input).toEqual({ required: false });
  expect(empty.output).toEqual({ setContentTypeIfEmpty: false });
  expect(handlerOf(parse(withHandler({ input: null })))).not.toHaveProperty("input");
});

test.each([
  ["SERVICE", undefined, "service"],
  ["SERVICE", "SHARED", "service"],
  ["VIRTUAL_OBJECT", undefined, "exclusive"],
  ["VIRTUAL_OBJECT", "EXCLUSIVE", "exclusive"],
  ["VIRTUAL_OBJECT", "SHARED", "shared"],
  ["WORKFLOW", undefined, "shared"],
  ["WORKFLOW", "SHARED", "shared"],
  ["WORKFLOW", "WORKFLOW", "workflow"],
])("in a %s, a handler whose own type is %s gets the type %s", (ty, handlerTy, type) => {
  expect(handlerOf(parse(withHandler({ ty: handlerTy }, { ty }))).type).toBe(type);
});

test.each([
  ["no services", { ...endpoint, services: [] }],
  ["services left out", endpoint],
  ["a service without handlers", withService({ handlers: [] })],
  ["keys that are not known", { ...withHandler({ tomorrow: 1, input: { later: true } }, { soon: [] }), next: {} }],
  ["null for an option", withHandler({ ty: null, abortTimeout: null, metadata: null })],
  ["two run handlers", withService({ ty: "WORKFLOW", handlers: ["a", "b"].map((name) => ({ name, ty: "WORKFLOW" })) })],
  ["a name with an underscore in front", withService({ name: "_a" })],
  ["versions that reach beyond ours", { ...withService({}), minProtocolVersion: 1, maxProtocolVersion: 12 }],
  ["a private handler in a public service", withHandler({ ingressPrivate: true }, { ingressPrivate: false })],
  ["a private handler in a private service", withHandler({ ingressPrivate: true }, { ingressPrivate: true })],
  ["wildcards", withHandler({ input: { contentType: "*/*" } })],
])("accepted: %s", (_what, manifest) => {
  expect(() => parse(manifest)).not.toThrow();
});

test("the metadata of services and handlers may name deadlines, and a text that is no duration is refused", () => {
  const greet = { name: "greet", metadata: { "stepwell/start-within": "5s", "stepwell/end-within": "PT1M" } };
  const service = (metadata: object) => ({ name: "Greeter", ty: "SERVICE", metadata, handlers: [greet] });
  const [read] = parse({ ...endpoint, services: [service({ "stepwell/end-within": "0s" })] }).services;
  expect(read!.settings).toEqual({ endWithinMs: 0 });
  expect(read!.handlers[0]!.settings).toEqual({ startWithinMs: 5_000, endWithinMs: 60_000 });
  expect(() => parse({ ...endpoint, services: [service({ "stepwell/start-within": "5" })] })).toThrow(
    /metadata\.stepwell\/start-within.* is '?"?5.*, not a duration such as 30s, or 0s for no deadline/,
  );
});
