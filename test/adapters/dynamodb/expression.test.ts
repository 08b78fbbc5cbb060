/** Tests conditions and updates in DynamoDB's expression language. */
import { describe, expect, test } from "vitest";
import { Placeholders, conditionText, updateText } from "../../../shared/adapters/dynamodb/write-inputs.ts";
import { StoreError, type Condition } from "../../../shared/engine/ports/table.ts";

const absent: Condition = { kind: "absent" };
const present: Condition = { kind: "present" };
const token: Condition = { kind: "equal", attribute: "token", value: "t" };
const base: Condition = { kind: "less", attribute: "base", than: 7 };

describe("a condition", () => {
  test("uses one placeholder per value, and one per distinct name", () => {
    const placeholders = new Placeholders();
    const condition: Condition = { kind: "any", of: [absent, base, { kind: "all", of: [token, base, present] }] };
    expect(conditionText(condition, placeholders)).toBe(
      "attribute_not_exists(#0) OR #1 < :0 OR (#2 = :1 AND #1 < :2 AND attribute_exists(#0))",
    );
    expect(placeholders.parts()).toEqual({
      ExpressionAttributeNames: { "#0": "pk", "#1": "base", "#2": "token" },
      ExpressionAttributeValues: { ":0": { N: "7" }, ":1": { S: "t" }, ":2": { N: "7" } },
    });
  });

  test.each<[Condition, string]>([
    [{ kind: "all", of: [{ kind: "any", of: [{ kind: "all", of: [absent] }] }] }, "attribute_not_exists(#0)"],
    [
      { kind: "all", of: [{ kind: "any", of: [{ kind: "any", of: [absent, token] }] }, base] },
      "(attribute_not_exists(#0) OR #1 = :0) AND #2 < :1",
    ],
    [{ kind: "all", of: [] }, "attribute_exists(#0) OR attribute_not_exists(#0)"],
    [
      { kind: "any", of: [{ kind: "any", of: [] }, token] },
      "(attribute_exists(#0) AND attribute_not_exists(#0)) OR #1 = :0",
    ],
  ])("%j has no redundant parentheses, which DynamoDB refuses", (condition, text) => {
    expect(conditionText(condition, new Placeholders())).toBe(text);
  });
});

describe("an update", () => {
  test("sets, removes and adds in one expression", () => {
    const placeholders = new Placeholders();
    const text = updateText(
      { set: { status: "open", until: 5 }, remove: ["openPk"], add: { waiting: -1 } },
      placeholders,
    );
    expect(text).toBe("SET #0 = :0, #1 = :1 REMOVE #2 ADD #3 :2");
    expect(placeholders.parts()).toEqual({
      ExpressionAttributeNames: { "#0": "status", "#1": "until", "#2": "openPk", "#3": "waiting" },
      ExpressionAttributeValues: { ":0": { S: "open" }, ":1": { N: "5" }, ":2": { N: "-1" } },
    });
  });

  test("of nothing has no expression, and no empty placeholders, which DynamoDB refuses", () => {
    const placeholders = new Placeholders();
    expect(updateText({ set: {}, remove: [], add: {} }, placeholders)).toBeUndefined();
    expect(placeholders.parts()).toEqual({});
  });

  test("that touches an attribute twice, or the key, is a StoreError", () => {
    expect(() => updateText({ set: { a: 1 }, add: { a: 1 } }, new Placeholders())).toThrow(StoreError);
    expect(() => updateText({ remove: ["pk"] }, new Placeholders())).toThrow(StoreError);
  });
});
