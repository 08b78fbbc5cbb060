/** Synthesizes the stack of the trial from its context. */
import { App } from "aws-cdk-lib";
import { triedStack } from "./tried-stack.ts";

const app = new App({ analyticsReporting: false });
const context = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined;
const handlerArns = context("handler-arns")?.split(",");
const scheduleArns = context("schedule-arns")?.split(",");
const apisUrl = context("apis-url");

triedStack(app, String(context("name")), String(context("code-folder")), {
  sslOnly: context("ssl-only") !== "false",
  ...(handlerArns !== undefined && { handlerArns }),
  ...(scheduleArns !== undefined && { scheduleArns }),
  ...(apisUrl !== undefined && { apisUrl }),
});
