/** Reads the lines that the functions of a stack write into their log groups. */
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetFunctionConfigurationCommand, LambdaClient } from "@aws-sdk/client-lambda";
import type { LogEvent } from "../../shared/engine/ports/log-events.ts";
import { until, type DeployedStack } from "./control-plane.ts";

const logs = new CloudWatchLogsClient({});
const lambda = new LambdaClient({});

export type FunctionName = "Ingress" | "Admin" | "Worker" | "Sweeper";

export const FUNCTION_NAMES: readonly FunctionName[] = ["Ingress", "Admin", "Worker", "Sweeper"];

/** A line of Stepwell's log, or one with metrics. */
export interface JsonLine {
  readonly event?: string;
  readonly [field: string]: unknown;
}

/** @returns all lines since `sinceMs`, in their order */
export async function linesOf(stack: DeployedStack, name: FunctionName, sinceMs: number): Promise<readonly string[]> {
  return await linesOfFunction(stack.outputs[`${name}Function`]!, sinceMs);
}

/** @param functionName the name of any function, such as a function with handlers */
export async function linesOfFunction(functionName: string, sinceMs: number): Promise<readonly string[]> {
  const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
  const found: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(
      new FilterLogEventsCommand({
        logGroupName: LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`,
        startTime: sinceMs,
        ...(nextToken !== undefined && { nextToken }),
      }),
    );
    found.push(...(page.events ?? []).flatMap(({ message = "" }) => message.split("\n")));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return found.map((line) => line.trim()).filter((line) => line !== "");
}

/** The lines that are JSON. */
export async function jsonLinesOf(stack: DeployedStack, name: FunctionName, sinceMs: number): Promise<JsonLine[]> {
  return (await linesOf(stack, name, sinceMs)).flatMap((line) => {
    if (!line.startsWith("{")) return [];
    return [JSON.parse(line) as JsonLine];
  });
}

const CALL_AGAIN_MS = 5_000;

/**
 * Waits for a line of the event: a process writes its lines a little after its answer. The emulator collects a function's lines for
 * 50 ms after the answer, and reads a later line only at the next call of the function.
 * @param callAgain makes such a call, every few seconds
 */
export async function lineOf(
  stack: DeployedStack,
  name: FunctionName,
  sinceMs: number,
  event: LogEvent,
  callAgain: () => Promise<unknown> = async () => {},
): Promise<JsonLine> {
  let calledMs = Date.now();
  return await until(`the ${name} function logs ${event}`, async () => {
    if (Date.now() - calledMs >= CALL_AGAIN_MS) {
      calledMs = Date.now();
      await callAgain();
    }
    return (await jsonLinesOf(stack, name, sinceMs)).find((line) => line.event === event);
  });
}
