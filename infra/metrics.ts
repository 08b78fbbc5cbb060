/** What there is to see of a control plane in CloudWatch: its own metrics, and those of what it stands on. */
import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { Operation } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { METRIC_FACTS } from "../shared/config/metric-facts.ts";
import type { AnyTable } from "./table.ts";

export const PERIOD = Duration.minutes(5);

const TABLE_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_WRITE_ITEMS,
];

/** @param environment as it stands in the setting `cluster-name` */
export function ownMetric(
  environment: string,
  metricName: string,
  {
    statistic = Stats.SUM,
    labels = {},
  }: { readonly statistic?: string; readonly labels?: Record<string, string> } = {},
): Metric {
  const dimensionsMap = { [METRIC_FACTS.dimension]: environment, ...labels };
  return new Metric({ namespace: METRIC_FACTS.namespace, metricName, dimensionsMap, statistic, period: PERIOD });
}

/** The same metric under each value of one label, in one search: which values there are is for CloudWatch to know. */
export function ownMetrics(environment: string, metricName: string, label: string, statistic: string = Stats.SUM) {
  const { namespace, dimension } = METRIC_FACTS;
  const where = `{${namespace},${dimension},${label}} MetricName="${metricName}" ${dimension}="${environment}"`;
  const expression = `SEARCH('${where}', '${statistic}', ${PERIOD.toSeconds()})`;
  return new MathExpression({ expression, label: "", period: PERIOD, usingMetrics: {} });
}

/** @param metricName of Lambda, such as `Errors` or `Throttles` */
export function functionsTotal(functions: readonly LambdaFunction[], metricName: string, label: string): IMetric {
  const all = functions.map(
    (one, at) => [`${metricName.toLowerCase()}${at}`, one.metric(metricName, { statistic: Stats.SUM })] as const,
  );
  const expression = all.map(([name]) => name).join(" + ");
  return new MathExpression({ expression, usingMetrics: Object.fromEntries(all), label, period: PERIOD });
}

export function tableThrottles(table: AnyTable): IMetric {
  return table.metricThrottledRequestsForOperations({ operations: TABLE_OPERATIONS, period: PERIOD });
}
