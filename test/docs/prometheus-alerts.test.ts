/** The alert rules for Prometheus parse, use metrics and labels that a running local process shows, and name runbooks that exist. */
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalStage } from "../harness/local/local-stage.ts";
import { textOf } from "./page-text.ts";
import { namesInQuery } from "./promql-names.ts";
import { missingIn, type Scraped, scrapedStage } from "./scraped-process.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The CDK has a parser of YAML among its own packages. */
const { parse } = createRequire(import.meta.resolve("aws-cdk-lib"))("yaml") as { parse(text: string): RuleFile };
const file = parse(textOf("docs/prometheus-alerts.yaml"));
const rules = file.groups.flatMap((group) => group.rules);
/** Prometheus itself has this metric of each scrape. */
const OF_PROMETHEUS = new Set(["up"]);
const isOfPrometheus = (expr: string): boolean => namesInQuery(expr).metrics.every((name) => OF_PROMETHEUS.has(name));
const DURATION = /^\d+[smhdw]$/;

describe("in a running process", () => {
  let stage: LocalStage;
  let scraped: Scraped;
  beforeAll(async () => {
    ({ stage, scraped } = await scrapedStage());
  });
  afterAll(() => stage.close());

  test.each(rules.filter(({ expr }) => !isOfPrometheus(expr)).map(({ alert, expr }) => [alert, expr]))(
    "%s uses metrics and labels that the process shows: %s",
    (_, expr) => {
      expect(missingIn(scraped, expr)).toEqual([]);
    },
  );
});

test("the file has groups of rules with the members that Prometheus knows, and each alert once", () => {
  expect(Object.keys(file)).toEqual(["groups"]);
  expect(rules.length).toBeGreaterThan(8);
  for (const rule of rules) {
    expect(
      Object.keys(rule).filter((name) => !["alert", "expr", "for", "labels", "annotations"].includes(name)),
    ).toEqual([]);
    if (rule.for !== undefined) expect(rule.for, rule.alert).toMatch(DURATION);
    expect(["critical", "warning", "info"], rule.alert).toContain(rule.labels["severity"]);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test("each rule compares, so that it is silent while all is well", () => {
  expect(rules.filter(({ expr }) => !/ (?:>|<|==) [\d.]+$/.test(expr)).map(({ alert }) => alert)).toEqual([]);
});

test("each rule has a summary whose labels remain after the grouping, and a runbook that exists", () => {
  for (const { alert, expr, annotations } of rules) {
    const { summary = "", runbook = "" } = annotations;
    const known = [...(namesInQuery(expr).groupedBy ?? []), ...(isOfPrometheus(expr) ? ["instance"] : [])];
    const used = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
    expect([alert, used.filter((label) => !known.includes(label))]).toEqual([alert, []]);
    expect(used, alert).toContain("instance");
    const [path, place] = runbook.split("#") as [string, string];
    const headings = [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
      text!.toLowerCase().replaceAll(" ", "-"),
    );
    expect([alert, headings]).toEqual([alert, expect.arrayContaining([place])]);
  }
});

test("each state that an operator has to end has an alert", () => {
  const watched = new Set(rules.flatMap(({ expr }) => namesInQuery(expr).metrics));
  for (const name of [
    "invocations_paused_total",
    "oldest_overdue_seconds",
    "oldest_ready_seconds",
    "circuits_open",
    "sweep_listing_behind_seconds",
  ])
    expect([...watched]).toContain(`stepwell_${name}`);
});
