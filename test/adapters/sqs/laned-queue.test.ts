/**
 * Tests two SQS queues as the lanes of one queue: the service selects the lane of a send, and the receipt selects the lane of an
 * extend or an ack.
 */
import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { LanedQueue, slowReceipt } from "../../../shared/adapters/sqs/laned-queue.ts";
import { sqsClient } from "../../../shared/adapters/sqs/sqs-client.ts";
import { SqsQueue } from "../../../shared/adapters/sqs/sqs-queue.ts";
import { SystemClock } from "../../../shared/adapters/system/clock.ts";
import { wakeOfBody } from "../../../shared/engine/ports/wake-body.ts";
import { invocation, queueContract } from "../../contracts/queue-contract.ts";
import { silentLog } from "../../recording-log.ts";
import { MemoryQueue } from "../../simulation/memory-queue.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { startService } from "../scripted-service.ts";

interface AskedBatch {
  readonly QueueUrl: string;
  readonly Entries: readonly {
    readonly Id: string;
    readonly MessageBody?: string;
    readonly MessageGroupId?: string;
    readonly ReceiptHandle?: string;
  }[];
}

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function lanes(slowServices: readonly string[]) {
  const service = await startService(({ text }) => {
    const { Entries } = JSON.parse(text) as AskedBatch;
    const Successful = Entries.map(({ Id, MessageBody = "" }) => ({
      Id,
      MessageId: "message",
      MD5OfMessageBody: createHash("md5").update(MessageBody).digest("hex"),
    }));
    return { body: { Successful } };
  });
  const client = sqsClient(service.options);
  opened.push(() => client.destroy(), service.stop);
  const { endpoint } = service.options;
  const laneOf = (name: string) =>
    new SqsQueue({ client, queueUrl: `${endpoint}/123456789012/${name}`, clock: new SystemClock(), log: silentLog });
  const isSlow = (name: string) => slowServices.includes(name);
  const queue = new LanedQueue({ main: laneOf("wakes"), slow: laneOf("slow-wakes"), isSlow });
  const asked = () =>
    service.asked.flatMap(({ operation, text }) => {
      const { QueueUrl, Entries } = JSON.parse(text) as AskedBatch;
      return Entries.map((entry) => ({ operation, lane: QueueUrl.split("/").at(-1), ...entry }));
    });
  return { queue, asked };
}

const wake = (service?: string) => ({
  invocationId: invocation(1),
  sentAtMs: 1,
  delayMs: 0,
  wakeAtMs: 3,
  ...(service !== undefined && { service }),
});

test.each([
  ["a slow service", "Slow", "slow-wakes"],
  ["any other service", "Quick", "wakes"],
  ["no service", undefined, "wakes"],
])(
  "a message for %s goes unchanged to the right lane, with the message group of its service if it has one",
  async (_what, name, lane) => {
    const { queue, asked } = await lanes(["Slow"]);
    await queue.send(wake(name));
    const [sent, ...more] = asked();
    expect(more).toEqual([]);
    expect([sent!.lane, sent!.MessageGroupId]).toEqual([lane, name]);
    expect(wakeOfBody(sent!.MessageBody!)).toEqual({ wake: wake(name) });
  },
);

test("a message is extended and deleted in its own queue, even if its service has changed lanes", async () => {
  const slow: string[] = [];
  const { queue, asked } = await lanes(slow);
  await queue.extend("receipt", 5_000);
  slow.push("Slow");
  await queue.extend(slowReceipt("receipt"), 5_000);
  await queue.ack("receipt");
  slow.pop();
  await queue.ack(slowReceipt("receipt"));
  expect(asked().map(({ operation, lane, ReceiptHandle }) => [operation, lane, ReceiptHandle])).toEqual([
    ["ChangeMessageVisibilityBatch", "wakes", "receipt"],
    ["ChangeMessageVisibilityBatch", "slow-wakes", "receipt"],
    ["DeleteMessageBatch", "wakes", "receipt"],
    ["DeleteMessageBatch", "slow-wakes", "receipt"],
  ]);
});

queueContract("two lanes", async () => {
  const clock = new SteppedClock();
  return {
    queue: new LanedQueue({ main: new MemoryQueue(clock), slow: new MemoryQueue(clock), isSlow: () => false }),
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
    reopen: async () => {},
    close: async () => {},
  };
});
