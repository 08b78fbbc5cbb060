/** The figures of the guide to capacity are those of the pages that measurements and counts write. */
import { expect, test } from "vitest";
import { textOf } from "../page-text.ts";

const GUIDE = textOf("docs/guides/capacity.md");
const PERFORMANCE = textOf("docs/performance.md");
const { steps } = JSON.parse(textOf("docs/performance-growth.json")) as {
  readonly steps: readonly {
    readonly contestant: string;
    readonly series: string;
    readonly size: number;
    readonly residentMb: number;
    readonly diskMb: number;
  }[];
};

const stepOf = (series: string, size: number) =>
  steps.find((step) => step.contestant === "ours" && step.series === series && step.size === size)!;

test("its table is a part of that of docs/performance.md", () => {
  const rows = GUIDE.split("\n").filter((line) => /^\| [^|]+ \|(?: \d+ \|){4}$/.test(line));
  expect(rows.length).toBeGreaterThan(3);
  const lines = PERFORMANCE.split("\n");
  expect(rows.filter((row) => !lines.includes(row))).toEqual([]);
});

test("memory and disk are those that were measured", () => {
  const [kept, sleeping] = [stepOf("stored", 300_000), stepOf("sleeping", 100_000)];
  expect(GUIDE).toContain(`${kept.residentMb.toFixed(0)} MB with 300,000 kept invocations`);
  expect(GUIDE).toContain(`${sleeping.residentMb.toFixed(0)} MB with 100,000 sleeping ones`);
  const compacted = ((kept.diskMb * 1024) / kept.size).toFixed(1);
  const fresh = /A call writes ([0-9.]+) KB/.exec(PERFORMANCE)![1]!;
  expect(GUIDE).toContain(`${compacted} to ${fresh} KB for each call`);
  const dayGb = (kb: string): string => ((86_400 * 100 * Number(kb)) / 1e6).toFixed(0);
  expect(GUIDE).toContain(`take ${dayGb(compacted)} to ${dayGb(fresh)} GB`);
});

test("a hundred calls a second are the share that the page states", () => {
  const perS = Number(/^\| 1 run \| (\d+) \|/m.exec(PERFORMANCE)![1]);
  expect(Math.round(perS / 100)).toBe(9);
  expect(GUIDE).toContain("are a ninth of");
});

test("large payloads cost as many times as much as the page states", () => {
  const dollarsOf = (shape: string): number =>
    Number(new RegExp(`^\\| ${shape} \\|.*?\\*\\*([0-9.]+)\\*\\*`, "m").exec(textOf("docs/costs.md"))![1]);
  const times = Math.round(dollarsOf("call with 100 KB of noise in and out") / dollarsOf("call without steps"));
  expect(times).toBe(14);
  expect(GUIDE).toContain("cost fourteen times as much");
});
