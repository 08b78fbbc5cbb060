/** The charts of docs/performance.md show the published figures, and can be read on any background. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { requireCommand } from "./cli-world.ts";
import { PANELS, SERIES, type Step } from "./growth-report.mjs";

const DOCS = join(import.meta.dirname, "../../docs");

let drawn: Map<string, string>;

beforeAll(async () => {
  requireCommand();
  const { growthChart } = await import("./growth-chart.mjs");
  const { steps } = JSON.parse(await readFile(join(DOCS, "performance-growth.json"), "utf8")) as {
    readonly steps: readonly Step[];
  };
  drawn = new Map();
  for (const series of SERIES) drawn.set(series.chart, await growthChart(steps, series));
});

test.each(SERIES)("$chart is the chart of the published figures", async ({ chart }) => {
  await expect(drawn.get(chart)).toMatchFileSnapshot(join(DOCS, chart));
});

test.each(SERIES)("$chart has each panel with its unit, both servers, and no background", ({ chart, name }) => {
  const svg = drawn.get(chart)!;
  for (const { title } of PANELS) expect(svg).toContain(`>${title}</text>`);
  for (const text of ["ours", "theirs", `${name} invocations`]) expect(svg).toContain(`>${text}</text>`);
  expect(svg).not.toMatch(/<rect[^>]*fill="(?:white|#fff)/);
});
