/** The monitoring of a stack: alarms for events that need a person, and one dashboard. */
import { Stack } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import { METRIC_FACTS } from "../../shared/config/metric-facts.ts";
import type { StepwellProps } from "../../infra/stepwell.ts";
import { briefApp } from "./brief-app.ts";
import { chartedMetrics } from "./charted-metrics.ts";
import { OWN_METRICS } from "./own-metrics.ts";
import { resourcesOf, synthesised } from "./synthesised.ts";

const template = synthesised({ environmentName: "shop" });
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
const alarm = (name: string) => alarms.find(([id]) => id.startsWith(`StepwellAlarms${name}`))![1].Properties;

describe("the warning about a missing alarm topic", () => {
  const warned = (props: Partial<StepwellProps>): number => {
    let stack: Stack | undefined;
    synthesised(props, (stepwell) => (stack = Stack.of(stepwell)));
    return Annotations.fromStack(stack!).findWarning("*", Match.stringLikeRegexp("^alarmTopic: .*deleted for good"))
      .length;
  };

  test("the stack warns of the consequences", () => expect(warned({})).toBe(1));

  test("the stack does not warn if it has a topic, or if it has no alarms", () => {
    const alarmTopic = Topic.fromTopicArn(new Stack(briefApp()), "T", "arn:aws:sns:eu-west-1:111122223333:pager");
    expect(warned({ alarmTopic })).toBe(0);
    expect(warned({ alarms: false })).toBe(0);
  });
});

describe("an alarm goes off", () => {
  test("for one dead letter, one error, one throttled request", () => {
    expect(alarms).toHaveLength(9);
    for (const name of ["DeadLetters", "Errors", "Throttles", "TableThrottles"]) {
      expect(alarm(name), name).toMatchObject({
        Threshold: 0,
        ComparisonOperator: "GreaterThanThreshold",
        EvaluationPeriods: 1,
        TreatMissingData: "notBreaching",
      });
    }
    expect(alarm("DeadLetters")).toMatchObject({ MetricName: "ApproximateNumberOfMessagesVisible" });
    expect(JSON.stringify(alarm("DeadLetters")["Dimensions"])).toContain("Dlq");
  });

  test("for errors of each of the four functions", () => {
    const text = JSON.stringify(alarm("Errors")["Metrics"]);
    for (const name of ["Ingress", "Admin", "Worker", "Sweeper"]) expect(text).toMatch(`StepwellFunctions${name}`);
  });

  /** In CloudWatch `a + b` has no value if a or b has none, as for a function without calls in a period. */
  test("for one of several functions or operations while the others have no calls", () => {
    for (const name of ["Errors", "Throttles", "TableThrottles"]) {
      const metrics = alarm(name)["Metrics"] as readonly { readonly Id: string; readonly Expression?: string }[];
      const read = metrics.filter(({ Expression }) => Expression === undefined).map(({ Id }) => Id);
      expect(read.length, name).toBe(name === "TableThrottles" ? 6 : 4);
      expect(metrics.flatMap(({ Expression }) => Expression ?? [])).toEqual([`SUM([${read.join(", ")}])`]);
    }
    const throttled = JSON.stringify(alarm("TableThrottles")["Metrics"]);
    for (const operation of ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "TransactWriteItems"]) {
      expect(throttled).toContain(`{"Name":"Operation","Value":"${operation}"}`);
    }
  });

  test("for one paused invocation, and ends when no further invocation is paused", () => {
    expect(alarm("Paused")).toMatchObject({
      Namespace: METRIC_FACTS.namespace,
      MetricName: "invocations_paused_total",
      Dimensions: [{ Name: METRIC_FACTS.dimension, Value: "shop" }],
      Statistic: "Sum",
      Threshold: 0,
      ComparisonOperator: "GreaterThanThreshold",
      EvaluationPeriods: 1,
      TreatMissingData: "notBreaching",
    });
  });

  test("for a parked and overdue invocation, and while the sweeper writes no measure", () => {
    expect(alarm("Overdue")).toMatchObject({
      Namespace: METRIC_FACTS.namespace,
      MetricName: "oldest_overdue_seconds",
      Dimensions: [{ Name: METRIC_FACTS.dimension, Value: "shop" }],
      TreatMissingData: "breaching",
    });
  });

  test("once a walk of the sweeper is hours behind, which is days before any item can expire", () => {
    for (const [id, metric, seconds] of [
      ["ListingBehind", "sweep_listing_behind_seconds", 3_600],
      ["WalkBehind", "sweep_everything_behind_seconds", 86_400],
    ] as const)
      expect(alarm(id)).toMatchObject({
        MetricName: metric,
        Statistic: "Maximum",
        Threshold: seconds,
        EvaluationPeriods: 3,
      });
  });

  test("for ticks of schedules that fail or come late, with one measure for all schedules", () => {
    expect(alarm("Schedules")).toMatchObject({
      MetricName: "schedule_faults_total",
      Dimensions: [{ Name: METRIC_FACTS.dimension, Value: "shop" }],
      Threshold: 0,
    });
  });

  test("for a missing measure, but not before the first measure of a new environment", () => {
    const keyMaker = resourcesOf(template, "Custom::StepwellKeys");
    expect(keyMaker[0]![1].Properties["MeasuredAs"]).toBe("shop");
    const named = synthesised({ environmentName: "shop", settings: { "cluster-name": "eu" } });
    expect(resourcesOf(named, "Custom::StepwellKeys")[0]![1].Properties["MeasuredAs"]).toBe("eu");
    const silent = synthesised({ settings: { "aws.metrics": "none" } });
    expect(resourcesOf(silent, "Custom::StepwellKeys")[0]![1].Properties["MeasuredAs"]).toBeUndefined();
    const behind = (id: string): readonly string[] =>
      (template.toJSON() as { Resources: Record<string, { DependsOn?: readonly string[] }> }).Resources[id]!
        .DependsOn ?? [];
    const [overdue] = alarms.find(([id]) => id.startsWith("StepwellAlarmsOverdue"))!;
    const sweeper = behind(overdue).find((id) => /^StepwellFunctionsSweeper[0-9A-F]{8}$/.test(id));
    expect(behind(sweeper!)).toContain(keyMaker[0]![0]);
  });

  test("with a description of the remedy", () => {
    for (const [id, { Properties }] of alarms) expect(Properties["AlarmDescription"], id).toMatch(/^[A-Z].{40,}\.$/);
  });
});

test("functions write their metrics under the name that the alarms read", () => {
  const told = resourcesOf(template, "AWS::Lambda::Function").map(([, { Properties }]) => JSON.stringify(Properties));
  expect(told.filter((text) => text.includes('"STEPWELL_CLUSTER_NAME":"shop"'))).toHaveLength(4);
  const renamed = synthesised({ environmentName: "shop", settings: { "cluster-name": "eu" } });
  const [, { Properties }] = resourcesOf(renamed, "AWS::CloudWatch::Alarm").find(([id]) => /Overdue/.test(id))!;
  expect(Properties["Dimensions"]).toEqual([{ Name: METRIC_FACTS.dimension, Value: "eu" }]);
});

test("alarms and dashboard use every metric that functions write, under its exact dimensions, and no other", () => {
  expect(chartedMetrics(template, "shop")).toEqual(OWN_METRICS);
  const renamed = synthesised({ environmentName: "shop", settings: { "cluster-name": "eu" } });
  expect(chartedMetrics(renamed, "eu")).toEqual(OWN_METRICS);
});

test("the dashboard shows the number of wakes of slow services, and the age of the oldest", () => {
  const [[, { Properties }]] = resourcesOf(template, "AWS::CloudWatch::Dashboard") as [
    ReturnType<typeof resourcesOf>[number],
  ];
  const body = JSON.stringify(Properties["DashboardBody"]);
  expect(body).toMatch(/Wakes of slow services/);
  for (const name of ["ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"]) {
    expect(body, name).toMatch(new RegExp(`${name}[^}]*WakesSlowQueue`));
  }
});

test("a stack without its own metrics has no alarm on them, and its dashboard does not show them", () => {
  const silent = synthesised({ settings: { "aws.metrics": "none" } });
  const ids = resourcesOf(silent, "AWS::CloudWatch::Alarm").map(([id]) => id);
  expect(ids).toHaveLength(4);
  expect(ids.filter((id) => /Overdue|Paused|Behind|Schedules/.test(id))).toEqual([]);
  const [[, { Properties }]] = resourcesOf(silent, "AWS::CloudWatch::Dashboard") as [[string, never]];
  expect(JSON.stringify(Properties)).not.toContain("attempts_total");
});

test("the dashboard shows whether a service is noisy, and how long the others wait", () => {
  const [[, { Properties }]] = resourcesOf(template, "AWS::CloudWatch::Dashboard") as [[string, never]];
  for (const name of ["ApproximateNumberOfNoisyGroups", "ApproximateAgeOfOldestMessageInQuietGroups"]) {
    expect(JSON.stringify(Properties)).toContain(name);
  }
});

test("the dashboard exists unless it is disabled, and shows the metrics of the functions", () => {
  const [[, { Properties }]] = resourcesOf(template, "AWS::CloudWatch::Dashboard") as [[string, never]];
  for (const name of ["attempts_total", "attempt_seconds", "oldest_overdue_seconds"]) {
    expect(JSON.stringify(Properties)).toContain(name);
  }
  expect(resourcesOf(synthesised({ dashboard: false }), "AWS::CloudWatch::Dashboard")).toEqual([]);
});

test("the alarm topic gets all alarms", () => {
  const elsewhere = new Stack(briefApp(), "Elsewhere");
  const arn = "arn:aws:sns:eu-west-1:111122223333:on-call";
  const told = synthesised({ alarmTopic: Topic.fromTopicArn(elsewhere, "Topic", arn) });
  const actions = resourcesOf(told, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties["AlarmActions"]);
  expect(actions).toEqual(actions.map(() => [arn]));
  expect(alarms.map(([, { Properties }]) => Properties["AlarmActions"])).toEqual(alarms.map(() => undefined));
});
