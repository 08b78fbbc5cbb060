/** Tests the form of a rule: what it lacks, and the rule that it asks for. */
import { expect, test } from "vitest";
import type { RuleBody } from "../../../shared/api/contract/limits.ts";
import { limitsText, partText, trialText } from "../../../shared/api/wire/rule-words.ts";
import { formOf, missingForTrial, missingIn, NEW_RULE, wantedRule } from "../../../ui/model/rule-form.ts";

test.each([
  [{}, "Write a pattern."],
  [{ pattern: " " }, "Write a pattern."],
  [{ pattern: "a", concurrency: "none" }, "Concurrency is a whole number from 1 on."],
  [{ pattern: "a", concurrency: "0" }, "Concurrency is a whole number from 1 on."],
  [{ pattern: "a", concurrency: "1.5" }, "Concurrency is a whole number from 1 on."],
  [{ pattern: "a", burst: "2" }, "A burst needs a rate."],
  [{ pattern: "a", rate: "1/s", burst: "-2" }, "The burst is a whole number from 1 on."],
  [{ pattern: "a" }, undefined],
  [{ pattern: "a", concurrency: " 5 ", rate: "bad", burst: "3" }, undefined],
])("a form with %j: %s", (changes, missing) => {
  expect(missingIn({ ...NEW_RULE, ...changes })).toBe(missing);
});

test("a trial needs a limit, and a rule does not", () => {
  expect(missingForTrial({ ...NEW_RULE, pattern: "a" })).toBe("A trial needs a limit.");
  expect(missingForTrial({ ...NEW_RULE, pattern: "a", rate: "1/s" })).toBeUndefined();
});

test("a form asks for what it shows, and an unchanged form for the rule as it is", () => {
  const rule: RuleBody = {
    pattern: "acme/*",
    limits: { concurrency: 5, rate: "100/1m", burst: 2 },
    description: "tenants",
    disabled: true,
    version: 3,
    last_modified_millis_since_epoch: 0,
  };
  const { version: _version, last_modified_millis_since_epoch: _atMs, ...wanted } = rule;
  expect(wantedRule(formOf(rule))).toEqual(wanted);
  expect(wantedRule({ ...NEW_RULE, pattern: " acme " })).toEqual({ pattern: "acme", limits: {}, disabled: false });
});

test("limits and trials in words", () => {
  expect(limitsText({})).toBe("no limit");
  expect(limitsText({ concurrency: 5, rate: "100/1m", burst: 2 })).toBe("5 at a time, 100/1m (2 at once)");
  const trial = { pattern: "a", matched: 1_000, held_back: 312, longest_wait_ms: 1_440 };
  expect(trialText(trial, { considered: 4_000 }, "1h")).toBe(
    "would have held back 312 of the 1,000 that it counts, among the 4,000 invocations of the last 1h; the longest wait is 1.4 s",
  );
  expect(trialText({ ...trial, held_back: 0 }, { considered: 4_000 }, "1h")).toMatch(/^would have held back 0 .* 1h$/);
  const trials = { trials: [], considered: 1, read: 1, since_millis_since_epoch: 0, complete: false };
  expect(partText(trials, "10:00")).toMatch(/loaded 1 invocations, back to 10:00/);
  expect(partText({ ...trials, complete: true }, "10:00")).toBeUndefined();
});
