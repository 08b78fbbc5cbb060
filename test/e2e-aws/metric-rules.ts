/** The embedded metric format of CloudWatch, as its specification states it. */
import type { JsonLine } from "./function-logs.ts";

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
}

export interface MetricLine extends JsonLine {
  readonly _aws: { readonly Timestamp: number; readonly CloudWatchMetrics: readonly Directive[] };
}

export const LARGEST_LINE_BYTES = 1_048_576;
const METRICS_MAX = 100;
const VALUES_MAX = 100;
const DIMENSIONS_MAX = 30;
const DIMENSION_MAX_CHARACTERS = 1_024;
const NAMESPACE_FORM = /^[\w./#:-]{1,1024}$/;
const NAME_FORM = /^[\x21-\x7e]{1,1024}$/;
const UNITS = new Set(["Seconds", "Milliseconds", "Microseconds", "Bytes", "Count", "Percent", "None"]);
const HOUR_MS = 3_600_000;

/** @returns a sentence for each part that CloudWatch would reject or misread */
export function wrongWithMetrics(line: MetricLine, nowMs: number): string[] {
  const { Timestamp, CloudWatchMetrics } = line._aws;
  const told = JSON.stringify(line);
  return [
    ...(Buffer.byteLength(told) > LARGEST_LINE_BYTES ? ["the line is too large"] : []),
    ...(Number.isInteger(Timestamp) && Math.abs(nowMs - Timestamp) < HOUR_MS ? [] : [`no time of day: ${Timestamp}`]),
    ...CloudWatchMetrics.flatMap((directive) => wrongWithDirective(line, directive)),
  ];
}

function wrongWithDirective(line: MetricLine, { Namespace, Dimensions, Metrics }: Directive): string[] {
  return [
    ...(NAMESPACE_FORM.test(Namespace) && !Namespace.startsWith("AWS/") ? [] : [`no namespace: ${Namespace}`]),
    ...(Metrics.length >= 1 && Metrics.length <= METRICS_MAX ? [] : [`${Metrics.length} metrics`]),
    ...(Dimensions.length === 1 ? [] : [`${Dimensions.length} sets of dimensions, each a metric to pay for`]),
    ...Dimensions.flatMap((set) => (set.length <= DIMENSIONS_MAX ? set : ["too many dimensions"])).flatMap((name) => {
      const value = line[name];
      const fits = typeof value === "string" && value.length >= 1 && value.length <= DIMENSION_MAX_CHARACTERS;
      return NAME_FORM.test(name) && !name.startsWith(":") && fits ? [] : [`no dimension: ${name}=${String(value)}`];
    }),
    ...Metrics.flatMap(({ Name, Unit = "None" }) => {
      const values = [line[Name]].flat();
      const fits = values.length >= 1 && values.length <= VALUES_MAX && values.every(Number.isFinite);
      return NAME_FORM.test(Name) && UNITS.has(Unit) && fits ? [] : [`no metric: ${Name} (${Unit})`];
    }),
  ];
}
