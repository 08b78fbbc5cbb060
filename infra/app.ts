/** The CDK app: one stack with one control plane, shaped by context (`cdk deploy -c name=...`). */
import { join } from "node:path";
import { App, CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { SettingPath } from "../shared/config/settings-table.ts";
import type { StepwellProps } from "./stepwell.ts";
import { Stepwell } from "./stepwell.ts";

const app = new App({ analyticsReporting: false });
const context = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined;

const stack = new Stack(app, context("name") ?? "Stepwell", {
  description: "Stepwell, a durable-execution control plane",
});
const settings = JSON.parse(context("settings") ?? "{}") as Partial<Record<SettingPath, string>>;
const handlerArns = context("handler-arns")?.split(",");
const assumableRoleArns = context("assumable-role-arns")?.split(",");
const scheduleArns = context("schedule-arns")?.split(",");
const table = context("table");
// What is neither of the two is refused by the construct: a typing error must not leave the door open.
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
  ...(context("alarms") === "false" && { alarms: false }),
  ...(context("ssl-only") === "false" && { sslOnly: false }),
  ...(context("signing-key") !== undefined && { signingKey: Number(context("signing-key")) }),
  ...(context("worker-concurrency") !== undefined && { workerConcurrencyMax: Number(context("worker-concurrency")) }),
  ...(context("keep-data") === "false" && { removalPolicy: RemovalPolicy.DESTROY }),
});
for (const [name, value] of Object.entries(stepwell.outputs)) new CfnOutput(stack, name, { value });
