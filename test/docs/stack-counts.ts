/** The parts of the stack that cost money without a call, counted in its template. */
import type { Template } from "aws-cdk-lib/assertions";
import { resourcesOf } from "../infra/synthesised.ts";

export interface StackCounts {
  readonly memoryMb: number;
  readonly sweepEveryS: number;
  readonly alarms: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly keys: number;
  /** Event sources of functions, each over a queue of wakes. */
  readonly eventSources: number;
}

export function countStack(template: Template): StackCounts {
  const count = (type: string): number => resourcesOf(template, type).length;
  const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
  return {
    memoryMb: memoryMb(template),
    sweepEveryS: sweepEveryS(template),
    alarms: alarms.length,
    alarmMetrics: alarms.reduce((sum, [, { Properties }]) => sum + metricsOf(Properties), 0),
    dashboards: count("AWS::CloudWatch::Dashboard"),
    keys: count("AWS::KMS::Key"),
    eventSources: count("AWS::Lambda::EventSourceMapping"),
  };
}

/** An alarm reads one metric, or computes with several. */
function metricsOf({ Metrics }: Readonly<Record<string, unknown>>): number {
  const all = Metrics as readonly { readonly MetricStat?: unknown }[] | undefined;
  return all?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
}

function memoryMb(template: Template): number {
  const functions = resourcesOf(template, "AWS::Lambda::Function");
  const sizes = new Set(functions.map(([, { Properties }]) => Properties["MemorySize"]));
  const [size] = sizes;
  if (sizes.size !== 1 || typeof size !== "number") throw new Error("the functions have no size in common");
  return size;
}

function sweepEveryS(template: Template): number {
  const [rule] = resourcesOf(template, "AWS::Events::Rule");
  const minutes = /^rate\((\d+) minutes?\)$/.exec(String(rule?.[1].Properties["ScheduleExpression"]))?.[1];
  if (minutes === undefined) throw new Error("the rule of the sweeper has no rate in minutes");
  return Number(minutes) * 60;
}
