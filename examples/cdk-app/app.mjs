/** A CDK app of one's own: a control plane, a function with handlers, and their registration. */
import { App, CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Runtime } from "aws-cdk-lib/aws-lambda";
import { NodejsFunction } from "aws-cdk-lib/aws-lambda-nodejs";
import { Stepwell, StepwellDeployment } from "stepwell/cdk";

const stack = new Stack(new App(), "Seats");
const { admin, outputs } = new Stepwell(stack, "Stepwell", { removalPolicy: RemovalPolicy.DESTROY });
const handlers = new NodejsFunction(stack, "Handlers", {
  entry: new URL("handlers.mjs", import.meta.url).pathname,
  runtime: Runtime.NODEJS_24_X,
  // Invocations continue with the version that they began with, so old versions must remain.
  currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
});
new StepwellDeployment(stack, "Deployment", { admin, handlers: handlers.currentVersion });
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
