/** A stack whose deployment registers its handlers with its own control plane, or with that of another stack. */
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import type { AdminApiReference } from "../../../infra/apis.ts";
import { Stepwell, type StepwellProps } from "../../../infra/stepwell.ts";
import { StepwellDeployment } from "../../../infra/stepwell-deployment.ts";

export interface ShopProps {
  readonly stackName: string;
  readonly functionName: string;
  /** The version that the handlers report. */
  readonly version: string;
  readonly codeFolder: string;
  /** The address of a second deployment, which is removed when the stack is destroyed. */
  readonly passingUrl?: string;
  readonly controlPlane: AdminApiReference | OwnControlPlane;
}

export interface OwnControlPlane {
  readonly props: Omit<StepwellProps, "table">;
  /** The name of an existing table. */
  readonly tableName?: string;
}

/** @param outdir the folder for the cloud assembly, which `cdk deploy --app` takes */
export function synthesiseShop(outdir: string, shop: ShopProps): void {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, shop.stackName);
  const { codeFolder, controlPlane } = shop;
  const admin = "props" in controlPlane ? ownAdmin(stack, codeFolder, controlPlane) : controlPlane;
  const handlers = handlersOf(stack, shop).currentVersion;
  const kept = new StepwellDeployment(stack, "Kept", { admin, codeFolder, handlers });
  new CfnOutput(stack, "Deployment", { value: kept.deploymentId });
  if (shop.passingUrl !== undefined) {
    const url = { handlers: { url: shop.passingUrl }, removeOnDelete: true };
    const passing = new StepwellDeployment(stack, "Passing", { admin, codeFolder, ...url });
    new CfnOutput(stack, "PassingDeployment", { value: passing.deploymentId });
  }
  app.synth();
}

function handlersOf(stack: Stack, { functionName, codeFolder, version }: ShopProps): LambdaFunction {
  return new LambdaFunction(stack, "Shop", {
    functionName,
    code: Code.fromAsset(`${codeFolder}/shop`),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    memorySize: 256,
    timeout: Duration.minutes(1),
    environment: { SHOP_VERSION: version },
    currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
  });
}

function ownAdmin(stack: Stack, codeFolder: string, { props, tableName }: OwnControlPlane): AdminApiReference {
  const stepwell = new Stepwell(stack, "Stepwell", {
    ...props,
    codeFolder,
    ...(tableName !== undefined && { table: TableV2.fromTableName(stack, "Restored", tableName) }),
  });
  for (const [name, value] of Object.entries(stepwell.outputs)) new CfnOutput(stack, name, { value });
  return stepwell.admin;
}
