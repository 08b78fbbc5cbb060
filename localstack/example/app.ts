/** A stack with one handler function, which has the tag of callable functions; the output is the ARN of a version. */
import { App, CfnOutput, Duration, RemovalPolicy, Stack, Tags } from "aws-cdk-lib";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";

const app = new App({ analyticsReporting: false });
const context = (name: string): string => String(app.node.getContext(name));

const stack = new Stack(app, context("name"));
const greeter = new LambdaFunction(stack, "Handlers", {
  functionName: context("function-name"),
  code: Code.fromAsset(context("code-folder")),
  handler: "index.handler",
  runtime: Runtime.NODEJS_24_X,
  memorySize: 256,
  timeout: Duration.minutes(1),
  // Invocations continue with the version that they began with, so old versions must remain.
  currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
});
Tags.of(greeter).add("stepwell", "handler");
new CfnOutput(stack, "HandlerArn", { value: greeter.currentVersion.functionArn });
