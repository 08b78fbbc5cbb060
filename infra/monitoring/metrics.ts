/** The CloudWatch metrics of a control plane: its own, and those of the AWS services that it uses. */
import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Operation as Operations } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { METRIC_FACTS } from "../../shared/config/metric-facts.ts";
import type { AnyTable } from "../resources/table.ts";

export const PERIOD = Duration.minutes(5);

const TABLE_OPERATIONS = [
  Operations.GET_ITEM,
  Operations.PUT_ITEM,
  Operations.UPDATE_ITEM,
  Operations.DELETE_ITEM,
  Operations.QUERY,
  Operations.TRANSACT_WRITE_ITEMS,
];

/** @param environment the value of the setting `cluster-name` */
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

/** One metric under each value of a label. It is a search, because the values are known only at runtime. */
export function ownMetrics(environment: string, metricName: string, label: string, statistic: string = Stats.SUM) {
  const { namespace, dimension } = METRIC_FACTS;
  const where = `{${namespace},${dimension},${label}} MetricName="${metricName}" ${dimension}="${environment}"`;
  const expression = `SEARCH('${where}', '${statistic}', ${PERIOD.toSeconds()})`;
  return new MathExpression({ expression, label: "", period: PERIOD, usingMetrics: {} });
}

/** @param metricName a metric of Lambda, such as `Errors` or `Throttles` */
export function functionsTotal(functions: readonly LambdaFunction[], metricName: string, label: string): IMetric {
  const prefix = metricName.toLowerCase();
  return totalOf(
    prefix,
    label,
    functions.map((one) => one.metric(metricName, { statistic: Stats.SUM })),
  );
}

export function tableThrottles(table: AnyTable): IMetric {
  const each = TABLE_OPERATIONS.map((Operation) => {
    const dimensionsMap = { TableName: table.tableName, Operation };
    return table.metric("ThrottledRequests", { dimensionsMap, statistic: Stats.SUM, period: PERIOD });
  });
  return totalOf("throttled", "Refused requests", each);
}

/**
 * The total of metrics that have no value while nothing happens: `SUM` adds the existing values, while `+` has no
 * result if one side is missing.
 */
function totalOf(prefix: string, label: string, metrics: readonly IMetric[]): IMetric {
  const named = Object.fromEntries(metrics.map((metric, at) => [`${prefix}${at}`, metric]));
  const expression = `SUM([${Object.keys(named).join(", ")}])`;
  return new MathExpression({ expression, usingMetrics: named, label, period: PERIOD });
}
