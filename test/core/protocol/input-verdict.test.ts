/** Tests which inputs a handler's rule accepts, and the messages of its refusals. */
import { expect, test } from "vitest";
import type { InputRule } from "../../../shared/core/model/service.ts";
import { inputVerdict } from "../../../shared/core/protocol/manifest.ts";

const JSON_TYPE = "application/json";
const usual: InputRule = { required: false, contentType: JSON_TYPE };
const schema: InputRule = { ...usual, jsonSchema: { type: "string" } };
const required: InputRule = { required: true, contentType: JSON_TYPE };
const of = (contentType: string): InputRule => ({ required: true, contentType });
const EMPTY = true;
const BODY = false;
const mismatch = (given: string, wanted: string) => `Content-type '${given}' does not match '${wanted}'`;

type Row = [
  what: string,
  rule: InputRule | undefined,
  contentType: string | undefined,
  empty: boolean,
  verdict: string | undefined,
];
const rows: Row[] = [
  ["no rule, nothing", undefined, undefined, EMPTY, undefined],
  ["no rule, any type", undefined, "image/png", BODY, undefined],
  ["no rule, a type without a body", undefined, "image/png", EMPTY, undefined],
  ["no rule, a body without a type", undefined, undefined, BODY, "Empty content-type"],
  ["an empty rule, nothing", { required: false }, undefined, EMPTY, undefined],
  ["an empty rule, a body", { required: false }, undefined, BODY, "Expected an empty body and no content-type"],
  ["an empty rule, a type", { required: false }, JSON_TYPE, EMPTY, "Expected an empty body and no content-type"],
  ["JSON, nothing", usual, undefined, EMPTY, undefined],
  ["JSON, the type without a body", usual, JSON_TYPE, EMPTY, undefined],
  ["JSON with a schema, nothing", schema, undefined, EMPTY, undefined],
  ["JSON with a schema, the type without a body", schema, JSON_TYPE, EMPTY, "Empty body not allowed"],
  ["JSON with a schema, a body", schema, JSON_TYPE, BODY, undefined],
  ["JSON, a body without a type", usual, undefined, BODY, "Empty content-type"],
  ["JSON, another type", usual, "text/plain", BODY, mismatch("text/plain", JSON_TYPE)],
  ["JSON, the type in another case", usual, "Application/JSON", BODY, mismatch("Application/JSON", JSON_TYPE)],
  ["JSON, the type with parameters", usual, "application/json; charset=utf-8", BODY, undefined],
  ["a rule with parameters", of("application/json;v=1"), "application/json;v=2", BODY, undefined],
  ["required JSON, nothing", required, undefined, EMPTY, "Empty content-type"],
  ["required JSON, the type without a body", required, JSON_TYPE, EMPTY, undefined],
  ["any text, HTML", of("text/*"), "text/html", BODY, undefined],
  ["any text, JSON", of("text/*"), JSON_TYPE, BODY, mismatch(JSON_TYPE, "text/*")],
  ["any text, a type that begins alike", of("text/*"), "textual/html", BODY, mismatch("textual/html", "text/*")],
  ["any type, a body with a type", of("*/*"), "a/b", BODY, undefined],
  ["any type, nothing", of("*/*"), undefined, EMPTY, "Empty content-type"],
  ["required without a type, a body", { required: true }, undefined, BODY, undefined],
  ["required without a type, nothing", { required: true }, undefined, EMPTY, "Empty body not allowed"],
];

test.each(rows)("the verdict of a rule on an input: %s", (_what, rule, contentType, empty, verdict) => {
  expect(inputVerdict(rule, contentType, empty)).toBe(verdict);
});
