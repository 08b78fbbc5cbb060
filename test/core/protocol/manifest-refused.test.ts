/** Tests refused manifests, with the error and its place. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../../shared/core/errors/coded-error.ts";
import { JsonShapeError } from "../../../shared/core/protocol/json-object.ts";
import { ManifestRuleError } from "../../../shared/core/protocol/manifest-rule-error.ts";
import { parseManifest } from "../../../shared/core/protocol/manifest.ts";
import { text } from "./hex.ts";
import { TYPE, endpoint, parse, service, withHandler, withService } from "./sample-manifest.ts";

const HANDLER = "$.services[0].handlers[0]";
type Refusal = new (...parts: never[]) => Error;
type Row = [what: string, manifest: unknown, error: Refusal, words: string];
const refused: Row[] = [
  ["a list", [], JsonShapeError, "$ is a list, not an object"],
  ["null", null, JsonShapeError, "$ is null, not an object"],
  ["no mode", { ...endpoint, protocolMode: undefined }, CodedError, "[META0013]"],
  [
    "another mode",
    { ...endpoint, protocolMode: "PIGEON" },
    JsonShapeError,
    '$.protocolMode is "PIGEON", not "BIDI_STREAM" or',
  ],
  [
    "no least version",
    { ...endpoint, minProtocolVersion: undefined },
    JsonShapeError,
    "$.minProtocolVersion is missing",
  ],
  ["version 0", { ...endpoint, minProtocolVersion: 0 }, CodedError, "[META0013]"],
  ["a version beyond 32 bits", { ...endpoint, maxProtocolVersion: 2 ** 40 }, CodedError, "[META0013]"],
  [
    "half a version",
    { ...endpoint, maxProtocolVersion: 6.5 },
    JsonShapeError,
    "$.maxProtocolVersion is 6.5, not a whole number",
  ],
  [
    "versions the wrong way round",
    { ...endpoint, minProtocolVersion: 7, maxProtocolVersion: 6 },
    CodedError,
    "[META0013]",
  ],
  ["versions too old", { ...endpoint, minProtocolVersion: 1, maxProtocolVersion: 4 }, CodedError, "[META0012]"],
  ["versions too new", { ...endpoint, minProtocolVersion: 8, maxProtocolVersion: 9 }, CodedError, "[META0012]"],
  [
    "another compression",
    { ...endpoint, lambdaCompression: "lzma" },
    JsonShapeError,
    '$.lambdaCompression is "lzma", not "zstd"',
  ],
  ["services that are no list", { ...endpoint, services: {} }, JsonShapeError, "$.services is an object, not a list"],
  ["a service that is no object", { ...endpoint, services: [1] }, JsonShapeError, "$.services[0] is 1, not an object"],
  ["no service name", withService({ name: undefined }), JsonShapeError, "$.services[0].name is missing"],
  ["a service name with a space", withService({ name: "a b" }), JsonShapeError, '$.services[0].name is "a b"'],
  ["a service name that begins with a digit", withService({ name: "1a" }), JsonShapeError, "$.services[0].name"],
  ["a service name of one underscore", withService({ name: "_" }), JsonShapeError, "$.services[0].name"],
  ["no service type", withService({ ty: undefined }), JsonShapeError, "$.services[0].ty is missing"],
  ["another service type", withService({ ty: "CRON" }), JsonShapeError, '$.services[0].ty is "CRON"'],
  [
    "a service name that no key of an item holds",
    withService({ name: "a".repeat(256) }),
    ManifestRuleError,
    "$.services[0].name: it has 256 characters, and at most 255 fit",
  ],
  [
    "a handler name that no key of an item holds",
    withHandler({ name: "a".repeat(256) }),
    ManifestRuleError,
    `${HANDLER}.name: it has 256 characters, and at most 255 fit`,
  ],
  ["a handler name with a dot", withHandler({ name: "a.b" }), JsonShapeError, `${HANDLER}.name is "a.b"`],
  ["another handler type", withHandler({ ty: "LAZY" }), JsonShapeError, `${HANDLER}.ty is "LAZY"`],
  [
    "a run handler in a service",
    withHandler({ ty: "WORKFLOW" }),
    ManifestRuleError,
    `${HANDLER}.ty: the WORKFLOW handler 'greet' does not fit`,
  ],
  [
    "an exclusive handler in a service",
    withHandler({ ty: "EXCLUSIVE" }),
    ManifestRuleError,
    "does not fit the service's type",
  ],
  [
    "a run handler in an object",
    withHandler({ ty: "WORKFLOW" }, { ty: "VIRTUAL_OBJECT" }),
    ManifestRuleError,
    "does not fit the service's type",
  ],
  [
    "an exclusive handler in a workflow",
    withHandler({ ty: "EXCLUSIVE" }, { ty: "WORKFLOW" }),
    ManifestRuleError,
    "does not fit the service's type",
  ],
  [
    "two services of one name",
    { ...endpoint, services: [service(), service()] },
    ManifestRuleError,
    "$.services[1].name: a second service",
  ],
  [
    "two handlers of one name",
    withService({ handlers: [{ name: "a" }, { name: "a" }] }),
    ManifestRuleError,
    "$.services[0].handlers[1].name",
  ],
  [
    "a public handler of a private service",
    withHandler({ ingressPrivate: false }, { ingressPrivate: true }),
    ManifestRuleError,
    "private service",
  ],
  [
    "a workflow retention for a handler other than run",
    withHandler({ workflowCompletionRetention: 1 }),
    ManifestRuleError,
    "only the run handler",
  ],
  [
    "idempotency on a run handler",
    withHandler({ ty: "WORKFLOW", idempotencyRetention: 1 }, { ty: "WORKFLOW" }),
    ManifestRuleError,
    "run handler",
  ],
  ["a negative duration", withHandler({ abortTimeout: -1 }), JsonShapeError, `${HANDLER}.abortTimeout is -1`],
  [
    "a duration in words",
    withService({ journalRetention: "1d" }),
    JsonShapeError,
    '$.services[0].journalRetention is "1d"',
  ],
  ["a factor of 0", withHandler({ retryPolicyExponentiationFactor: 0 }), JsonShapeError, "not a number above 0"],
  [
    "an unknown end of retries",
    withHandler({ retryPolicyOnMaxAttempts: "SHRUG" }),
    JsonShapeError,
    '"PAUSE" or "KILL"',
  ],
  ["a flag in words", withHandler({ enableLazyState: "yes" }), JsonShapeError, "not true or false"],
  [
    "metadata that is no text",
    withHandler({ metadata: { a: 1 } }),
    JsonShapeError,
    `${HANDLER}.metadata.a is 1, not a string`,
  ],
  [
    "a content type with a wildcard before the slash",
    withHandler({ input: { contentType: "*/json" } }),
    ManifestRuleError,
    `${HANDLER}.input.contentType: '*/json'`,
  ],
  [
    "a content type without a slash",
    withHandler({ input: { contentType: "json" } }),
    ManifestRuleError,
    "no content type",
  ],
  [
    "a schema that is a text",
    withHandler({ input: { jsonSchema: "x" } }),
    JsonShapeError,
    `${HANDLER}.input.jsonSchema`,
  ],
  [
    "a schema that refers elsewhere",
    withHandler({ output: { jsonSchema: { items: [{ $ref: "http://x" }] } } }),
    ManifestRuleError,
    "outside of itself",
  ],
];

test.each(refused)("refused: %s", (_what, manifest, error, words) => {
  expect(() => parse(manifest)).toThrow(error);
  expect(() => parse(manifest)).toThrow(words);
});

test.each([
  ["objects", '{"items":', "}"],
  ["lists", "[", "]"],
])("a schema of %s is refused if it is too deep for its later serialization", (_what, open, close) => {
  const manifest = (levels: number): Uint8Array => {
    const jsonSchema = `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`;
    return text(JSON.stringify(withHandler({ input: { jsonSchema: "SCHEMA" } })).replace('"SCHEMA"', jsonSchema));
  };
  expect(() => parseManifest(TYPE, manifest(100_000))).toThrow(
    new JsonShapeError(`${HANDLER}.input.jsonSchema`, "is more than 128 levels deep"),
  );
  expect(parseManifest(TYPE, manifest(100)).services).toHaveLength(1);
});

describe("an answer that is no manifest", () => {
  test.each([
    undefined,
    "application/json",
    `${TYPE}; charset=utf-8`,
    "application/vnd.restate.endpointmanifest.v5+json",
  ])("%s", (type) => {
    expect(() => parseManifest(type, text("{}"))).toThrow("[META0013]");
  });

  test("bytes that are no JSON, or no UTF-8", () => {
    expect(() => parseManifest(TYPE, text("<html>"))).toThrow("$ cannot be read as JSON");
    expect(() => parseManifest(TYPE, Uint8Array.of(0x22, 0xff, 0x22))).toThrow(JsonShapeError);
  });
});

test("any JSON is read, or refused with one of the three errors", () => {
  const keys = ["name", "ty", "handlers", "input", "contentType", "jsonSchema", "metadata", "abortTimeout"];
  const part = fc.dictionary(
    fc.constantFrom(...keys),
    fc.oneof(fc.jsonValue(), fc.constantFrom("a", "SERVICE", "SHARED", [{ name: "b" }])),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.array(part).map((services) => ({ ...endpoint, services })),
      ),
      (manifest) => {
        try {
          parse(manifest);
        } catch (error) {
          expect([CodedError, JsonShapeError, ManifestRuleError].some((kind) => error instanceof kind)).toBe(true);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
