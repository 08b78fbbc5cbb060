/** Tests the form of a JSON schema: its fields, its sample, and the advice about a value. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactNumber } from "../../../ui/model/exact-json.ts";
import { fieldOf } from "../../../shared/api/wire/schema-field.ts";
import { sampleOf } from "../../../shared/api/wire/schema-sample.ts";
import { problemsOf, variantOf } from "../../../ui/model/schema-value.ts";

const ORDER = {
  type: "object",
  required: ["customer", "items"],
  properties: {
    customer: { $ref: "#/$defs/Customer" },
    items: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["sku"],
        properties: { sku: { type: "string" }, count: { type: "integer", default: 1 } },
      },
    },
    priority: { enum: ["low", "high"], default: "low" },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  $defs: {
    Customer: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, friend: { $ref: "#/$defs/Customer" } },
    },
  },
};

test("a sample has the required members and the defaults, and nothing else", () => {
  expect(sampleOf(ORDER)).toEqual({ customer: { name: "Ada" }, items: [{ sku: "Ada", count: 1 }], priority: "low" });
});

test("a field that also accepts null has the kind of its other type, in whichever way its schema allows null", () => {
  for (const schema of [
    { type: ["string", "null"] },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { type: "string", nullable: true },
  ]) {
    const { kind, isNullable } = fieldOf(schema, schema);
    expect([kind, isNullable]).toEqual(["text", true]);
  }
});

test("alternatives of constants are a choice, and other alternatives are variants", () => {
  const choice = { oneOf: [{ const: "a" }, { const: "b" }] };
  expect(fieldOf(choice, choice)).toMatchObject({ kind: "choice", values: ["a", "b"] });
  const variants = {
    oneOf: [{ type: "object", required: ["x"], properties: { x: { type: "string" } } }, { type: "number" }],
  };
  const field = fieldOf(variants, variants);
  expect(field.kind).toBe("variants");
  expect(variantOf(variants.oneOf, 3, variants)).toBe(1);
  expect(variantOf(variants.oneOf, { x: "a" }, variants)).toBe(0);
});

test("the parts of allOf are one object", () => {
  const schema = {
    allOf: [{ $ref: "#/$defs/A" }, { type: "object", properties: { b: { type: "number" } } }],
    $defs: { A: { type: "object", required: ["a"], properties: { a: { type: "string" } } } },
  };
  expect(sampleOf(schema)).toEqual({ a: "Ada" });
  expect(fieldOf(schema, schema)).toMatchObject({ kind: "object" });
});

test("the form is finite for the schema `true`, for one that refers to itself, and for a reference to `constructor`", () => {
  const loop = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } };
  expect(fieldOf(loop, loop).kind).toBe("json");
  const endless = { type: "object", required: ["again"], properties: { again: { $ref: "#" } } };
  expect(JSON.stringify(sampleOf(endless))).toContain("again");
  const own = { $ref: "#/constructor" };
  expect(fieldOf(own, own).kind).toBe("json");
  expect(fieldOf(true, true).kind).toBe("json");
});

test("advice names each missing member and each misfit with its path", () => {
  const value = { customer: { name: 3 }, items: [{ count: 1.5 }], priority: "none", note: null };
  expect(problemsOf(value, ORDER)).toEqual([
    { path: "customer.name", words: "is no text" },
    { path: "items[0].sku", words: "is required" },
    { path: "items[0].count", words: "is no integer" },
    { path: "priority", words: "is none of the values of the schema" },
  ]);
});

test("a number with many digits passes the check for a number, and fails the check for an object", () => {
  expect(problemsOf(new ExactNumber("12345678901234567890"), { type: "integer" })).toEqual([]);
  expect(problemsOf(new ExactNumber("12345678901234567890"), { type: "object", properties: { a: {} } })).toHaveLength(
    1,
  );
});

test("no schema, however wrong, makes the form fail", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
      sampleOf(schema);
      problemsOf(value, schema);
    }),
  );
});
