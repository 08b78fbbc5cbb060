/** The CDK app: one stack with one control plane, configured by context (`cdk deploy -c name=...`). */
import { join } from "node:path";
import { App, CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Topic } from "aws-cdk-lib/aws-sns";
import { CURRENT_VERSION_EXPIRED_FLAGS, FLAGS } from "aws-cdk-lib/cx-api";
import type { SettingPath } from "../shared/config/settings-table.ts";
import { Stepwell, type StepwellProps } from "./stepwell.ts";

/**
 * Sets every feature flag of the CDK to its default explicitly: a release that adds a flag then changes no template,
 * and `cdk` does not ask about flags at each command. The flags in `cdk.json` take precedence.
 */
const unchosen = Object.entries(FLAGS)
  .filter(([name]) => !CURRENT_VERSION_EXPIRED_FLAGS.includes(name))
  .map(([name, { unconfiguredBehavesLike }]) => [name, (unconfiguredBehavesLike?.v2 as unknown) ?? false] as const);

const app = new App({ analyticsReporting: false, context: Object.fromEntries(unchosen) });
const context = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined;
const number = (name: string): number | undefined => (context(name) === undefined ? undefined : Number(context(name)));

const stack = new Stack(app, context("name") ?? "Stepwell", {
  description: "Stepwell, a durable-execution control plane",
});
const settings = JSON.parse(context("settings") ?? "{}") as Partial<Record<SettingPath, string>>;
const handlerArns = context("handler-arns")?.split(",");
const assumableRoleArns = context("assumable-role-arns")?.split(",");
const scheduleArns = context("schedule-arns")?.split(",");
const kafkaClusters = context("kafka-clusters");
const table = context("table");
const alarmTopic = context("alarm-topic");
const [signingKey, workerConcurrencyMax] = [number("signing-key"), number("worker-concurrency")];
const slowWorkerConcurrencyMax = number("slow-worker-concurrency");
const [reservedIngress, reservedSweeper] = [number("reserved-ingress"), number("reserved-sweeper")];
// The construct refuses unknown values, so a typing error cannot leave the ingress open.
const ingressAuth = context("ingress-auth") as StepwellProps["ingressAuth"];
const stepwell = new Stepwell(stack, "Stepwell", {
  codeFolder: context("code-folder") ?? join(process.cwd(), ".cache/functions"),
  settings,
  environmentName: stack.stackName,
  ...(handlerArns !== undefined && { handlerArns }),
  ...(assumableRoleArns !== undefined && { assumableRoleArns }),
  ...(scheduleArns !== undefined && { scheduleArns }),
  ...(table !== undefined && { table: TableV2.fromTableName(stack, "Table", table) }),
  ...(ingressAuth !== undefined && { ingressAuth }),
  ...(kafkaClusters !== undefined && {
    kafkaClusters: JSON.parse(kafkaClusters) as NonNullable<StepwellProps["kafkaClusters"]>,
  }),
  ...(context("alarms") === "false" && { alarms: false }),
  ...(context("ssl-only") === "false" && { sslOnly: false }),
  ...(alarmTopic !== undefined && { alarmTopic: Topic.fromTopicArn(stack, "AlarmTopic", alarmTopic) }),
  ...(context("dashboard") === "false" && { dashboard: false }),
  ...(context("ingress-access-log") === "true" && { ingressAccessLog: true }),
  ...(context("xray") === "true" && { xray: true }),
  ...(signingKey !== undefined && { signingKey }),
  ...(workerConcurrencyMax !== undefined && { workerConcurrencyMax }),
  ...(slowWorkerConcurrencyMax !== undefined && { slowWorkerConcurrencyMax }),
  reservedConcurrency: {
    ...(reservedIngress !== undefined && { ingress: reservedIngress }),
    ...(reservedSweeper !== undefined && { sweeper: reservedSweeper }),
  },
  ...(context("keep-data") === "false" && { removalPolicy: RemovalPolicy.DESTROY }),
});
for (const [name, value] of Object.entries(stepwell.outputs)) new CfnOutput(stack, name, { value });
