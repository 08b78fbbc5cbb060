/** Each alert rule fires over a sample beyond its threshold, for the instance and the labels that it names, and is silent below it. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { textOf } from "./page-text.ts";
import { evaluated, type Series } from "./promql-evaluation.ts";

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
const { parse } = createRequire(import.meta.resolve("aws-cdk-lib"))("yaml") as { parse(text: string): RuleFile };
const rules = parse(textOf("docs/prometheus-alerts.yaml")).groups.flatMap((group) => group.rules);

const NOW_S = 1_800_000_000;
const INSTANCE = { instance: "127.0.0.1:9070", job: "stepwell" };

/** A series that has had the values of the list in the last minutes, one each minute; the last value is of now. */
const series = (name: string, values: readonly number[], labels: Readonly<Record<string, string>> = {}): Series => ({
  name,
  labels: { ...INSTANCE, ...labels },
  points: values.map((value, at) => [NOW_S - 60 * (values.length - 1 - at), value] as const),
});
const SHOP = { service: "shop" };
const ALONE = { instance: INSTANCE.instance };

interface Row {
  readonly fires: readonly Series[];
  readonly silent: readonly Series[];
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const gauge = (name: string, fires: number, silent: number, own: Readonly<Record<string, string>> = {}): Row => ({
  fires: [series(name, [fires], own)],
  silent: [series(name, [silent], own)],
  labels: { ...ALONE, ...own },
  value: fires,
});
const attempts = (failed: number): readonly Series[] => [
  series("stepwell_attempts_total", [0, 60, 100], SHOP),
  series("stepwell_attempt_failures_total", [0, 1, failed], { code: "RT0007" }),
];

const ROWS: Readonly<Record<string, Row>> = {
  StepwellDown: { ...gauge("up", 0, 1), labels: INSTANCE },
  StepwellOverdue: gauge("stepwell_oldest_overdue_seconds", 301, 300),
  StepwellReadyWaits: gauge("stepwell_oldest_ready_seconds", 301, 300, SHOP),
  StepwellPaused: {
    fires: [series("stepwell_invocations_paused_total", [7, 7, 8])],
    silent: [series("stepwell_invocations_paused_total", [8, 8, 8])],
    labels: ALONE,
    value: 1,
  },
  StepwellSchedules: {
    fires: [series("stepwell_schedule_faults_total", [3, 3, 4])],
    silent: [series("stepwell_schedule_faults_total", [4, 4, 4])],
    labels: ALONE,
    value: 1,
  },
  StepwellPausedRemain: {
    fires: [series("stepwell_open_invocations", [2], { ...SHOP, status: "paused" })],
    silent: [
      series("stepwell_open_invocations", [0], { ...SHOP, status: "paused" }),
      series("stepwell_open_invocations", [9], { ...SHOP, status: "suspended" }),
    ],
    labels: { ...ALONE, ...SHOP },
    value: 2,
  },
  StepwellCircuitOpen: gauge("stepwell_circuits_open", 1, 0),
  StepwellAttemptsFail: { fires: attempts(51), silent: attempts(50), labels: ALONE, value: 0.51 },
  StepwellListingBehind: gauge("stepwell_sweep_listing_behind_seconds", 901, 900),
  StepwellCountStands: {
    fires: [series("stepwell_open_invocations_counted_timestamp_seconds", [NOW_S - 21_601])],
    silent: [series("stepwell_open_invocations_counted_timestamp_seconds", [NOW_S - 21_600])],
    labels: ALONE,
    value: 21_601,
  },
  StepwellMemoryWaits: gauge("stepwell_budget_waiting", 1, 0, { budget: "bodies" }),
};

test("each rule has a sample", () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
  "%s fires beyond %s, and not below",
  (alert, expr) => {
    const { fires, silent, labels, value } = ROWS[alert]!;
    expect(evaluated(expr, fires, NOW_S)).toEqual([{ labels, value: expect.closeTo(value, 9) }]);
    expect(evaluated(expr, silent, NOW_S)).toEqual([]);
    expect(evaluated(expr, [], NOW_S)).toEqual([]);
  },
);

test("a restart of the process is no pause, and old values count no longer", () => {
  const expr = rules.find(({ alert }) => alert === "StepwellPaused")!.expr;
  const paused = (values: readonly number[]) => [series("stepwell_invocations_paused_total", values)];
  expect(evaluated(expr, paused([5, 0, 0]), NOW_S)).toEqual([]);
  expect(evaluated(expr, paused([5, 0, 1]), NOW_S)).toEqual([{ labels: ALONE, value: 1 }]);
  expect(evaluated(expr, paused([5, 0, 1]), NOW_S + 3_600)).toEqual([]);
});

test.each(["up", "1 > 0", "avg by (instance) (up)", 'up{job!="x"} > 0', "max by (instance) (up > 0", "rate(up) > 0"])(
  "the evaluation refuses or shows %s as it is, and guesses nothing",
  (query) => {
    if (query === "up") expect(evaluated(query, [series("up", [1])], NOW_S)).toEqual([{ labels: INSTANCE, value: 1 }]);
    else expect(() => evaluated(query, [series("up", [1])], NOW_S)).toThrow();
  },
);
