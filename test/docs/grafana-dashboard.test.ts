/** The dashboard for Grafana can be imported, and its queries use metrics and labels that a running local process shows. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalStage } from "../harness/local/local-stage.ts";
import { namesInQuery } from "./promql-names.ts";
import { ADDED, missingIn, type Scraped, scrapedStage } from "./scraped-process.ts";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource: object;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string; readonly datasource: object }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

const text = readFileSync(new URL("../../docs/grafana-dashboard.json", import.meta.url), "utf8");
const dashboard = JSON.parse(text) as {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
};
const variables = dashboard.templating.list;
const targets = dashboard.panels.flatMap((panel) => panel.targets.map((target) => ({ ...target, title: panel.title })));
describe("in a running process", () => {
  let stage: LocalStage;
  let page: string;
  let scraped: Scraped;

  beforeAll(async () => {
    ({ stage, page, scraped } = await scrapedStage());
  });
  afterAll(() => stage.close());

  test.each(targets.map(({ title, expr }) => [title, expr]))(
    "the process shows the metrics and labels that the query of '%s' uses: %s",
    (_, expr) => {
      expect(missingIn(scraped, expr)).toEqual([]);
    },
  );

  test("the process shows the metric and the label from which each variable takes its list", () => {
    const lists = variables
      .filter(({ type }) => type === "query")
      .map(({ query }) => (query as { query: string }).query);
    expect(lists).toHaveLength(2);
    for (const list of lists) {
      const [, query, label] = /^label_values\((.+), (\w+)\)$/.exec(list)!;
      expect(missingIn(scraped, query!), list).toEqual([]);
      expect(ADDED.has(label!) || scraped.get(namesInQuery(query!).metrics[0]!)!.has(label!), list).toBe(true);
    }
  });

  test("the counts of open invocations are less than a minute old, and no ready invocation is old", () => {
    const value = (name: string) => Number(new RegExp(`^stepwell_${name} (\\S+)$`, "m").exec(page)?.[1]);
    expect(Math.abs(value("open_invocations_counted_timestamp_seconds") - Date.now() / 1000)).toBeLessThan(60);
    expect(page).toContain('stepwell_oldest_ready_seconds{service="other"} 0');
  });

  test("the check finds a metric, a label or a value that the process does not show", () => {
    expect(missingIn(scraped, "sum(stepwell_nothing)")).toEqual(["no metric stepwell_nothing"]);
    for (const query of [
      'stepwell_attempts_total{handler="greet"}',
      "sum by (handler) (stepwell_attempts_total)",
      'stepwell_open_invocations{status="stopped"}',
    ])
      expect(missingIn(scraped, query), query).toHaveLength(1);
  });
});

describe("the file", () => {
  test("has what an import needs: a name, a schema of Grafana 10 or later, panels with distinct ids", () => {
    expect(dashboard).toMatchObject({ uid: "stepwell", title: "Stepwell", schemaVersion: 39 });
    expect(dashboard).not.toHaveProperty("id");
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(new Set(dashboard.panels.map(({ type }) => type))).toEqual(new Set(["stat", "timeseries"]));
  });

  test("reads the data source that its variable names, and no other", () => {
    expect(variables[0]).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
    const source = { type: "prometheus", uid: "${datasource}" };
    for (const { datasource } of [...dashboard.panels, ...targets]) expect(datasource).toEqual(source);
  });

  test("uses no variable that it does not have", () => {
    const known = [...variables.map(({ name }) => name), "__rate_interval", "__all"];
    const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("has panels that do not overlap, within the 24 columns of the grid", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });

  test("has legends of labels that remain after the grouping", () => {
    const wrong = targets.filter(({ expr, legendFormat }) => {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      return named.some((label) => !(namesInQuery(expr).groupedBy ?? []).includes(label));
    });
    expect(wrong).toEqual([]);
  });
});

test.each([
  ["rate(x[5m", "character"],
  ["sum(x", "missing"],
  ["sum(x))", "too many"],
  ["median(x)", "unknown function"],
  ['{a="b"}', "without a metric"],
  ["x{a=b}", "no matcher"],
  ["sum by status (x)", "missing"],
])("the reader of queries refuses %s", (query, reason) => {
  expect(() => namesInQuery(query)).toThrow(reason);
});
