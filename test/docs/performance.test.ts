/** Tests that the page of measurements shows the published figures, and that its tables and charts say what was measured. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { growthTable, PANELS, pointsOf, type Step } from "../compat/growth-report.mjs";
import { readGrowthOptions } from "../compat/growth-options.mjs";
import { distributionOf, latenessTable, type LatenessRow } from "../compat/lateness-report.mjs";
import { readOptions } from "../compat/options.mjs";
import { publishedPage } from "../compat/published.mjs";
import { textOf } from "./page-text.ts";

const DOCS = join(import.meta.dirname, "../../docs");

/** The cells of the lines below the head. */
function cellsOf(table: string): string[][] {
  const [, , ...lines] = table.split("\n");
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

describe("docs/performance.md", () => {
  it("is the page of the published figures", async () => {
    await expect(publishedPage()).toMatchFileSnapshot("../../docs/performance.md");
  });

  it("shows charts that are there and in the package", () => {
    const charts = [...publishedPage().matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file]) => file!);
    const { files } = JSON.parse(textOf("package.json")) as { readonly files: readonly string[] };
    expect(charts.filter((file) => !existsSync(join(DOCS, file)))).toEqual([]);
    expect(charts.filter((file) => !files.includes(`docs/${file}`))).toEqual([]);
  });
});

describe("the lateness of wake-ups", () => {
  const late = (contestant: string, round: number, latenessesMs: readonly number[]): LatenessRow => {
    const row = { contestant, round, shape: "nap", connections: 0, naps: 4, woken: 3 };
    return { ...row, ...distributionOf(latenessesMs) };
  };

  it("has percentiles of values in any order, and each percentile is one of the values", () => {
    const hundred = Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1);
    expect(distributionOf(hundred)).toEqual({ inTime: 100, p50Ms: 50, p99Ms: 99, maxMs: 100 });
    expect(distributionOf([7])).toEqual({ inTime: 1, p50Ms: 7, p99Ms: 7, maxMs: 7 });
  });

  it("has no percentiles where nothing woke", () => {
    expect(distributionOf([])).toEqual({ inTime: 0, p50Ms: undefined, p99Ms: undefined, maxMs: undefined });
  });

  test("a table has medians of the rounds, what woke late or never, and ratios round by round", () => {
    const rows = [
      late("ours", 1, [1, 2]),
      late("ours", 2, [3, 4, 6]),
      late("theirs", 1, [4, 4]),
      late("theirs", 2, [6, 6, 6]),
    ];
    const [ours, theirs] = cellsOf(latenessTable(rows, ["ours", "theirs"]));
    expect(ours!.slice(2, 8)).toEqual(["ours", "2.5", "4.0", "4.0", "1", "2"]);
    expect(theirs!.slice(2, 8)).toEqual(["theirs", "5.0", "5.0", "5.0", "1", "2"]);
    expect(ours!.slice(8)).toEqual(["**0.46** (0.25–0.67)", "**0.75** (0.50–1.00)", "**0.75** (0.50–1.00)"]);
  });
});

describe("the report of the growth bench", () => {
  const steps: readonly Step[] = [
    { contestant: "ours", series: "stored", size: 0, callsPerSecond: 2500, restartMs: 1500, failures: 0 },
    { contestant: "ours", series: "stored", size: 10_000, callsPerSecond: 2400, failures: 0 },
    { contestant: "theirs", series: "stored", size: 0, callsPerSecond: 1200, restartMs: 900, failures: 0 },
    { contestant: "ours", series: "sleeping", size: 0, callsPerSecond: 2000, restartMs: 800, failures: 0 },
  ];
  const panel = (of: string) => PANELS.find((one) => one.of === of)!;

  test("a chart has one point for each measurement of its series", () => {
    expect(pointsOf(steps, "stored", panel("callsPerSecond"))).toEqual([
      { server: "ours", size: 0, value: 2500 },
      { server: "ours", size: 10_000, value: 2400 },
      { server: "theirs", size: 0, value: 1200 },
    ]);
  });

  test("a chart converts to its unit, and leaves out what was not measured", () => {
    expect(pointsOf(steps, "stored", panel("restartMs"))).toEqual([
      { server: "ours", size: 0, value: 1.5 },
      { server: "theirs", size: 0, value: 0.9 },
    ]);
  });

  test("a table has the steps of its series alone, and a dash for what was not measured", () => {
    const rows = cellsOf(growthTable(steps, "stored"));
    expect(rows.map(([size, server, calls]) => [size, server, calls])).toEqual([
      ["0", "ours", "2500"],
      ["10,000", "ours", "2400"],
      ["0", "theirs", "1200"],
    ]);
    expect(rows[1]!.filter((cell) => cell === "–")).toHaveLength(9);
  });
});

describe("the options of the bench", () => {
  it("sorts the sizes, drops repeated ones, and accepts the word none for no sizes", () => {
    const { stored, sleeping } = readGrowthOptions(["--stored", "5000,0,5000", "--sleeping", "none"]);
    expect([stored, sleeping]).toEqual([[0, 5000], []]);
  });

  it("--quick sets small sizes, and another option replaces them", () => {
    expect(readGrowthOptions(["--quick", "--stored", "7"])).toMatchObject({
      stored: [7],
      sleeping: [0, 5000],
      seconds: 2,
    });
  });

  it.each([["--stored", "10k"], ["--stored", "1,,2"], ["--sleeping", "-1"], ["--seconds", "0"], ["--none"]])(
    "refuses %s %s with the usage",
    (...args) => {
      expect(() => readGrowthOptions(args)).toThrow("npm run bench:growth");
    },
  );

  it("accepts --naps 0, but then refuses --write-docs", () => {
    expect(readOptions(["--naps", "0"]).naps).toBe(0);
    expect(() => readOptions(["--naps", "0", "--write-docs"])).toThrow("--write-docs needs naps");
  });
});
