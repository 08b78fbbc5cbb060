/** Tests which queue gets a wake: the only queue, or one of two, depending on the registry's note on the service. */
import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { SystemClock } from "../../shared/adapters/system/clock.ts";
import { readSettings } from "../../shared/config/settings.ts";
import type { Registry } from "../../shared/engine/ports/registry.ts";
import { awsQueue } from "../../shared/wiring/aws-ports.ts";
import { invocation } from "../contracts/queue-contract.ts";
import { silentLog } from "../recording-log.ts";

const { settings } = readSettings({ environment: {}, flags: {} });
const MAIN = "https://sqs.eu-west-1.amazonaws.com/111122223333/wakes";
const SLOW = "https://sqs.eu-west-1.amazonaws.com/111122223333/slow-wakes";

interface Batch {
  readonly input: { readonly QueueUrl: string; readonly Entries: readonly { readonly Id: string }[] };
}

async function sentTo(slowQueueUrl: string | undefined, known: { readonly registry?: Registry }): Promise<string[]> {
  const urls: string[] = [];
  const send = async ({ input: { QueueUrl, Entries } }: Batch) => {
    urls.push(QueueUrl);
    return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: "message" })) };
  };
  const client = { send } as unknown as SQSClient;
  const lanes = { ...settings, "aws.queue-url": MAIN, "aws.slow-queue-url": slowQueueUrl };
  const queue = awsQueue(lanes, { client, clock: new SystemClock(), log: silentLog }, known);
  await queue.send({ invocationId: invocation(1), sentAtMs: 1, delayMs: 0, service: "Slow" });
  await queue.send({ invocationId: invocation(2), sentAtMs: 1, delayMs: 0, service: "Quick" });
  return urls;
}

const registry = { isSlow: (service: string): boolean => service === "Slow" } as unknown as Registry;

test.each([
  ["goes by service where there are two queues", SLOW, { registry }, [SLOW, MAIN]],
  ["goes to the main one before there is a registry to ask", SLOW, {}, [MAIN, MAIN]],
  ["goes to the only queue", undefined, { registry }, [MAIN, MAIN]],
])("a wake %s", async (_what, slowQueueUrl, known, urls) => {
  expect(await sentTo(slowQueueUrl, known)).toEqual(urls);
});
