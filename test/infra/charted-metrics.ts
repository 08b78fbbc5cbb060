/** Reads from a template which metrics of Stepwell the alarms and the dashboard of the stack use. */
import type { Template } from "aws-cdk-lib/assertions";
import { METRIC_FACTS } from "../../shared/config/metric-facts.ts";
import { resourcesOf } from "./synthesised.ts";

const { namespace, dimension } = METRIC_FACTS;
type Named = readonly (string | object)[];

/**
 * @returns the metrics in the form `Stepwell attempts_total by Environment and ending`, sorted
 * @throws Error for a metric of another environment
 */
export function chartedMetrics(template: Template, environmentName: string): readonly string[] {
  const found = new Set<string>();
  const note = (name: string, dimensions: readonly string[]) =>
    found.add(`${namespace} ${name} by ${[...dimensions].sort().join(" and ")}`);
  for (const [, { Properties }] of resourcesOf(template, "AWS::CloudWatch::Alarm")) {
    const dimensions = Properties["Dimensions"] as readonly { readonly Name: string }[] | undefined;
    if (Properties["Namespace"] === namespace)
      note(
        String(Properties["MetricName"]),
        dimensions!.map(({ Name }) => Name),
      );
  }
  for (const [, { Properties }] of resourcesOf(template, "AWS::CloudWatch::Dashboard")) {
    const { widgets } = JSON.parse(joined(Properties["DashboardBody"])) as {
      readonly widgets: readonly { readonly properties: { readonly metrics?: readonly Named[] } }[];
    };
    for (const metric of widgets.flatMap(({ properties }) => properties.metrics ?? [])) {
      const [first, name, ...pairs] = metric;
      if (first === namespace && typeof name === "string") note(name, named(pairs));
      const { expression = "" } = (typeof first === "object" ? first : {}) as { readonly expression?: string };
      const search = new RegExp(`SEARCH\\('{${namespace},([^}]+)} MetricName="(\\w+)" ${dimension}="([^"]+)"`).exec(
        expression,
      );
      if (search === null) continue;
      if (search[3] !== environmentName) throw new Error(`a search for another environment: ${expression}`);
      note(search[2]!, search[1]!.split(","));
    }
  }
  return [...found].sort();
}

/** Names and values alternate; an object with rendering options may follow. */
function named(pairs: Named): string[] {
  return pairs.filter((one, at) => typeof one === "string" && at % 2 === 0) as string[];
}

/** Drops values that are known only at deployment; no metric name contains one. */
function joined(body: unknown): string {
  if (typeof body === "string") return body;
  const [, pieces] = (body as { readonly "Fn::Join": readonly [string, readonly unknown[]] })["Fn::Join"];
  return pieces.map((piece) => (typeof piece === "string" ? piece : "")).join("");
}
