/** The metrics of our own that alarms and dashboard of a stack look at, read from its template. */
import type { Template } from "aws-cdk-lib/assertions";
import { METRIC_FACTS } from "../../shared/config/metric-facts.ts";
import { resourcesOf } from "./synthesised.ts";

const { namespace, dimension } = METRIC_FACTS;
type Named = readonly (string | object)[];

/** @returns each as `Stepwell attempts_total by Environment and ending`, sorted @throws Error for one of another environment */
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

/** Names and values alternate, and an object with how it is drawn may end them. */
function named(pairs: Named): string[] {
  return pairs.filter((one, at) => typeof one === "string" && at % 2 === 0) as string[];
}

/** What is known only when it is deployed is no part of a name. */
function joined(body: unknown): string {
  if (typeof body === "string") return body;
  const [, pieces] = (body as { readonly "Fn::Join": readonly [string, readonly unknown[]] })["Fn::Join"];
  return pieces.map((piece) => (typeof piece === "string" ? piece : "")).join("");
}
