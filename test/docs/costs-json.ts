/** Writes docs/costs.json, from which `npm run try` states its price. */
import { WORKING_METRICS, type CostFacts } from "./costs-page.ts";
import { billOf, idleMonth, totalOf } from "./costs.ts";
import { ASSUMED, COMPILED_ON, dollars, REGION } from "./prices.ts";

/**
 * @returns dollars, as JSON: for a million invocations of each shape with batches of one message, for an hour without requests,
 * and for an hour of the alarms, the dashboard and the metrics
 */
export function costsJson({ shapes, sweep, stack }: CostFacts): string {
  const hourOf = (monthUsd: number): number => monthUsd / ASSUMED.monthHours.value;
  const bare = idleMonth(sweep, { ...stack, alarmMetrics: 0, dashboards: 0, keys: 0 });
  const body = {
    region: REGION,
    compiledOn: COMPILED_ON,
    million: Object.fromEntries(shapes.map(({ name, counts }) => [name, totalOf(billOf(counts, 1, stack.memoryMb))])),
    quietHour: hourOf(bare.reduce((sum, [, usd]) => sum + usd, 0)),
    alarmsHour: hourOf(dollars("alarmMonth", stack.alarmMetrics)),
    dashboardHour: hourOf(dollars("dashboardMonth", stack.dashboards)),
    workingMetricsHour: hourOf(dollars("metricMonth", WORKING_METRICS)),
  };
  return `${JSON.stringify(body, rounded, 2)}\n`;
}

/** Rounds to six digits, because the last digits of a sum depend on the order of the summands. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}
