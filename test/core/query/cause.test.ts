/** Tests which failures have one cause. */
import { expect, test } from "vitest";
import { causeId, causeText, isCauseId } from "../../../shared/core/query/cause.ts";

test.each([
  ["no such customer 4711", "no such customer …"],
  ["connect ECONNREFUSED 10.0.0.7:25", "connect ECONNREFUSED …"],
  ["order 0b7e62d4-29a1-4c39-9d7d-5a52c0f0e0aa is gone", "order … is gone"],
  ["inv_1gfqLSWdcEdu4Y7Rr3k9 waits for dp_12abCDefGH34", "… waits for …"],
  ["digest deadbeef01 differs\nat line 3", "digest … differs"],
  ["took 1,234.5 ms", "took … ms"],
  ["the facade decided", "the facade decided"],
])("%s is the cause %s", (message, cause) => {
  expect(causeText({ code: "RT0007", message })).toBe(`RT0007 ${cause}`);
});

test("a code in brackets is written once", () => {
  expect(causeText({ code: "RT0010", message: "[RT0010] unreachable" })).toBe("RT0010 unreachable");
});

test("occurrences of one cause have one id, and other causes have others", () => {
  const id = (message: string, code = "500"): string => causeId({ code, message });
  expect(id("no customer 1")).toBe(id("no customer 27\ndetail"));
  const others = [id("no customer 1"), id("no order 1"), id("no customer 1", "501"), id(""), id("x".repeat(5_000))];
  expect(new Set(others).size).toBe(others.length);
  expect(others.every(isCauseId)).toBe(true);
  const many = Array.from({ length: 5_000 }, (_, at) =>
    id(`cause ${String.fromCodePoint(97 + (at % 26), 0x4e00 + at)}`),
  );
  expect(new Set(many).size).toBe(many.length);
});
