/**
 * References in the schema of a handler point into the component that contains the schema, and no id or anchor is left that could
 * change the meaning of a reference.
 */
import { expect, test } from "vitest";
import { rebased } from "../../../shared/api/admin/services/service-openapi.ts";

const AT = "#/components/schemas/greetRequest";

test("a schema with an id loses the id, and its references point into the component", () => {
  const schema = {
    $id: "https://example.com/person",
    type: "object",
    properties: { friend: { $ref: "#" }, pet: { $ref: "#/$defs/Pet" } },
    $defs: { Pet: { type: "string" } },
  };
  expect(rebased(schema, AT)).toEqual({
    type: "object",
    properties: { friend: { $ref: AT }, pet: { $ref: `${AT}/$defs/Pet` } },
    $defs: { Pet: { type: "string" } },
  });
});

test("references inside an inner schema with an id are relative to that schema", () => {
  const inner = { $id: "pet", properties: { tag: { $ref: "#/$defs/Tag" } }, $defs: { Tag: { type: "string" } } };
  expect(rebased({ properties: { "a/b": inner }, allOf: [{ $ref: "#" }] }, AT)).toEqual({
    properties: {
      "a/b": {
        properties: { tag: { $ref: `${AT}/properties/a~1b/$defs/Tag` } },
        $defs: { Tag: { type: "string" } },
      },
    },
    allOf: [{ $ref: AT }],
  });
});

test.each([
  ["$anchor", { $anchor: "pet", type: "string" }],
  ["an id of an older draft", { $id: "#pet", type: "string" }],
])("a reference to %s becomes a reference to the place of the schema that has it", (_what, pet) => {
  expect(rebased({ items: { $ref: "#pet" }, $defs: { Pet: pet }, not: { $ref: "#unknown" } }, AT)).toEqual({
    items: { $ref: `${AT}/$defs/Pet` },
    $defs: { Pet: { type: "string" } },
    not: { $ref: "#unknown" },
  });
});

test("names and data that look like references stay", () => {
  const schema = {
    properties: { $id: { type: "string" }, $ref: { type: "string" }, default: { $ref: "#" } },
    const: { $ref: "#", $id: "x" },
    enum: [{ $id: "y" }],
    items: [true, { $ref: "#/items/0" }],
  };
  expect(rebased(schema, AT)).toEqual({
    ...schema,
    properties: { ...schema.properties, default: { $ref: AT } },
    items: [true, { $ref: `${AT}/items/0` }],
  });
  expect(rebased(true, AT)).toBe(true);
});
