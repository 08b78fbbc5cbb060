/** Lists schedules, deletes all hints of a stack, which are messages and schedules (I8), and runs the sweeper. */
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DeleteScheduleCommand, ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DeployedStack } from "./control-plane.ts";

const scheduler = new SchedulerClient({});
const sqs = new SQSClient({});
const lambda = new LambdaClient({});

/** @param prefix the beginning of the listed names, such as the id of an invocation */
export async function schedules({ outputs }: DeployedStack, prefix = ""): Promise<string[]> {
  const GroupName = outputs["ScheduleGroup"]!;
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ GroupName, MaxResults: 100 }));
  return Schedules.map(({ Name }) => Name!).filter((name) => name.startsWith(prefix));
}

export async function wipeHints(stack: DeployedStack): Promise<void> {
  const GroupName = stack.outputs["ScheduleGroup"]!;
  for (const Name of await schedules(stack)) await scheduler.send(new DeleteScheduleCommand({ GroupName, Name }));
  for (const lane of ["QueueUrl", "SlowQueueUrl"]) {
    await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.outputs[lane]! }));
  }
}

/**
 * Runs a pass of the sweeper with the event of its schedule, or with the event that an operator sends after a restore.
 * @returns the sweeper's report
 */
export async function sweep({ outputs }: DeployedStack, event: { readonly everything?: true } = {}): Promise<unknown> {
  const FunctionName = outputs["SweeperFunction"]!;
  const Payload = Buffer.from(JSON.stringify(event));
  const { Payload: told, FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  const text = Buffer.from(told ?? []).toString("utf8");
  if (FunctionError !== undefined) throw new Error(`the sweeper failed: ${text}`);
  return JSON.parse(text);
}
