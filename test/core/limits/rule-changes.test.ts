/** Changes of rules: all or none, under preconditions. */
import { describe, expect, test } from "vitest";
import { deleteRules, putRules, type WantedRule } from "../../../shared/core/limits/rule-changes.ts";
import type { Rule } from "../../../shared/core/limits/rule.ts";

const stored: Rule = { pattern: "acme", limits: { concurrency: 2 }, disabled: false, version: 3, modifiedAtMs: 10 };
const at = { nowMs: 20, changes: 7 };
const five: WantedRule = { pattern: "acme", limits: { concurrency: 5 } };

describe("a put", () => {
  test("gives a new rule the number of the change, and a stored rule its next version", () => {
    expect(putRules([stored], [five, { ...five, pattern: "*" }], at)).toEqual({
      kind: "changed",
      rules: [
        { ...stored, limits: { concurrency: 5 }, version: 4, modifiedAtMs: 20 },
        { pattern: "*", limits: { concurrency: 5 }, disabled: false, version: 8, modifiedAtMs: 20 },
      ],
    });
  });

  test.each<[string, WantedRule, "invalid" | "conflict", RegExp]>([
    ["allows none", { pattern: "acme", limits: { concurrency: 0 } }, "invalid", /is 0.*from 1 to/],
    ["has half a place", { pattern: "acme", limits: { concurrency: 1.5 } }, "invalid", /is 1.5/],
    ["should not exist", { ...five, precondition: { type: "does_not_exist" } }, "conflict", /exists, at version 3/],
    ["changed since", { ...five, precondition: { type: "matches", version: 2 } }, "conflict", /has the version 3/],
    ["is gone", { ...five, pattern: "x", precondition: { type: "matches", version: 1 } }, "conflict", /does not exist/],
  ])("of a rule that %s changes nothing", (_, wanted, why, message) => {
    expect(putRules([stored], [{ ...five, pattern: "other" }, wanted], at)).toMatchObject({
      kind: "refused",
      why,
      message: expect.stringMatching(message),
    });
  });

  test("that changes nothing, or the description alone, keeps the version", () => {
    const same: WantedRule = { pattern: " acme/ ", limits: { concurrency: 2 }, description: "two" };
    expect(putRules([stored], [same], at)).toMatchObject({ rules: [{ ...stored, description: "two" }] });
  });

  test("that names a pattern twice is done in order", () => {
    const first: WantedRule = { ...five, pattern: "new", precondition: { type: "does_not_exist" } };
    const second: WantedRule = { pattern: "new", limits: {}, precondition: { type: "matches", version: 8 } };
    expect(putRules([], [first, second], at)).toMatchObject({ rules: [{ version: 9, limits: {} }, { version: 9 }] });
  });

  test("makes at most ten thousand rules", () => {
    const many = Array.from({ length: 10_000 }, (_, at): Rule => ({ ...stored, pattern: `s${at}` }));
    expect(putRules(many, [{ ...five, pattern: "s1" }], at).kind).toBe("changed");
    expect(putRules(many, [five], at)).toMatchObject({ why: "too-many" });
  });
});

describe("a deletion", () => {
  test("names the rules that there are", () => {
    expect(deleteRules([stored], [{ pattern: "acme", expectedVersion: 3 }, { pattern: "other" }])).toEqual({
      kind: "changed",
      rules: [stored],
    });
  });

  test("under another version changes nothing", () => {
    expect(deleteRules([stored], [{ pattern: "acme", expectedVersion: 1 }])).toMatchObject({ why: "conflict" });
  });
});
