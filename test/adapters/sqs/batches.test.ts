/** Tests batches of SQS requests: groups, delays, the result of each caller, and retries of only the failed entries. */
import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { sqsClient } from "../../../shared/adapters/sqs/sqs-client.ts";
import { SqsQueue, type SqsQueueOptions } from "../../../shared/adapters/sqs/sqs-queue.ts";
import { SystemClock } from "../../../shared/adapters/system/clock.ts";
import { wakeOfBody } from "../../../shared/engine/ports/wake-body.ts";
import { invocation } from "../../contracts/queue-contract.ts";
import { silentLog } from "../../recording-log.ts";
import { startService, type Asked, type ScriptedAnswer, type ScriptedService } from "../scripted-service.ts";

interface SentEntry {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
}

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function queueOn(
  answer: (asked: Asked, count: number) => ScriptedAnswer,
  more: Pick<SqsQueueOptions, "fairBy"> = {},
): Promise<{ readonly queue: SqsQueue; readonly service: ScriptedService }> {
  const service = await startService(answer);
  const client = sqsClient(service.options);
  const queueUrl = `${service.options.endpoint}/123456789012/wakes`;
  opened.push(() => client.destroy(), service.stop);
  return { queue: new SqsQueue({ client, queueUrl, clock: new SystemClock(), log: silentLog, ...more }), service };
}

const entriesOf = ({ text }: Asked): readonly SentEntry[] => (JSON.parse(text) as { Entries: SentEntry[] }).Entries;
const numberOf = ({ MessageBody = "" }: SentEntry): number => {
  const read = wakeOfBody(MessageBody);
  return "wake" in read ? read.wake.sentAtMs : -1;
};
/** SQS's success entry; the message id contains the number of the message. */
const served = (entry: SentEntry) => ({
  Id: entry.Id,
  MessageId: `message ${numberOf(entry)}`,
  MD5OfMessageBody: createHash("md5").update(entry.MessageBody!).digest("hex"),
});
const failed = ({ Id }: SentEntry, SenderFault: boolean) => ({ Id, SenderFault, Code: "Trouble", Message: "no luck" });
const wake = (n: number, delayMs = 0) => ({ invocationId: invocation(n), sentAtMs: n, delayMs });

test("sends of one tick form batches of ten, and each sender gets the handle of its own message", async () => {
  const { queue, service } = await queueOn((asked) => ({
    body: { Successful: entriesOf(asked).map(served).reverse() },
  }));
  const tickets = await Promise.all(Array.from({ length: 23 }, (_, n) => queue.send(wake(n))));
  expect(tickets).toEqual(Array.from({ length: 23 }, (_, n) => `message ${n}`));
  const sizes = service.asked.map((asked) => entriesOf(asked).length);
  expect(sizes.sort((a, b) => b - a)).toEqual([10, 10, 3]);
});

test.each([
  [
    "of its service, or undefined if the sender names no service",
    {},
    ["Greeter", undefined, expect.stringMatching(/^[\w-]{43}$/)],
  ],
  ["undefined if the queue is not fair", { fairBy: "none" } as const, [undefined, undefined, undefined]],
])("a message has the group %s", async (_which, more, groups) => {
  const { queue, service } = await queueOn((asked) => ({ body: { Successful: entriesOf(asked).map(served) } }), more);
  const sent = [{ ...wake(0), service: "Greeter" }, wake(1), { ...wake(2), service: "an odd näme" }];
  await Promise.all(sent.map((one) => queue.send(one)));
  const entries = entriesOf(service.asked[0]!);
  expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(groups);
  // A worker that puts the message back reads the service from the body, whatever the group is.
  expect(entries.map(({ MessageBody }) => wakeOfBody(MessageBody!))).toEqual(sent.map((one) => ({ wake: one })));
});

test("failed entries are resent alone until they succeed", async () => {
  const { queue, service } = await queueOn((asked, count) => {
    const entries = entriesOf(asked);
    const isOdd = (entry: SentEntry) => numberOf(entry) % 2 === 1;
    if (count > 2) return { body: { Successful: entries.map(served) } };
    return {
      body: {
        Successful: entries.filter((entry) => !isOdd(entry)).map(served),
        Failed: entries.filter(isOdd).map((entry) => failed(entry, false)),
      },
    };
  });
  const tickets = await Promise.all([0, 1, 2, 3].map((n) => queue.send(wake(n))));
  expect(tickets).toEqual([0, 1, 2, 3].map((n) => `message ${n}`));
  expect(service.asked.map((asked) => entriesOf(asked).map(numberOf))).toEqual([
    [0, 1, 2, 3],
    [1, 3],
    [1, 3],
  ]);
});

test("an entry without a result counts as failed", async () => {
  const { queue, service } = await queueOn((asked, count) => ({
    body: { Successful: count === 1 ? [] : entriesOf(asked).map(served) },
  }));
  expect(await queue.send(wake(5))).toBe("message 5");
  expect(service.asked).toHaveLength(2);
});

test("an entry that fails in every try gives a StoreError, and the other entries succeed", async () => {
  const { queue } = await queueOn((asked) => {
    const entries = entriesOf(asked);
    return {
      body: {
        Successful: entries.filter((entry) => numberOf(entry) !== 1).map(served),
        Failed: entries.filter((entry) => numberOf(entry) === 1).map((entry) => failed(entry, false)),
      },
    };
  });
  const [good, bad] = await Promise.allSettled([queue.send(wake(0)), queue.send(wake(1))]);
  expect(good).toMatchObject({ status: "fulfilled", value: "message 0" });
  expect(bad).toMatchObject({
    status: "rejected",
    reason: { name: "StoreError", message: expect.stringContaining("Trouble: no luck") },
  });
});

test("a refused entry is not resent together with the failed entries", async () => {
  const { queue, service } = await queueOn((asked, count) => {
    const entries = entriesOf(asked);
    if (count > 1) return { body: { Successful: entries.map(served) } };
    return { body: { Failed: entries.map((entry) => failed(entry, numberOf(entry) === 0)) } };
  });
  const [refused, late] = await Promise.allSettled([queue.send(wake(0)), queue.send(wake(1))]);
  expect(refused).toMatchObject({ status: "rejected", reason: { name: "StoreError" } });
  expect(late).toMatchObject({ status: "fulfilled", value: "message 1" });
  expect(service.asked.map((asked) => entriesOf(asked).map(numberOf))).toEqual([[0, 1], [1]]);
});

test("if a whole request fails, each of its senders gets the error", async () => {
  const body = { __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "gone" };
  const { queue } = await queueOn(() => ({ status: 400, body }));
  const outcomes = await Promise.allSettled([queue.send(wake(0)), queue.send(wake(1))]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: "rejected",
      reason: { name: "StoreError", message: expect.stringContaining("QueueDoesNotExist") },
    });
  }
});

test("a throttled request is sent again by the client", async () => {
  const { queue, service } = await queueOn((asked, count) =>
    count === 1
      ? { status: 400, body: { __type: "com.amazonaws.sqs#RequestThrottled", message: "slower" } }
      : { body: { Successful: entriesOf(asked).map(served) } },
  );
  expect(await queue.send(wake(3))).toBe("message 3");
  expect(service.asked).toHaveLength(2);
});

test("the acks of one tick share a request, and so do the extensions; a deleted message is no error", async () => {
  const { queue, service } = await queueOn((asked) => {
    const entries = entriesOf(asked);
    const isGone = ({ ReceiptHandle }: SentEntry) => ReceiptHandle === "gone";
    return {
      body: {
        Successful: entries.filter((entry) => !isGone(entry)).map(({ Id }) => ({ Id })),
        Failed: entries.filter(isGone).map((entry) => failed(entry, true)),
      },
    };
  });
  const acks = ["a", "gone", "b"].map((receipt) => queue.ack(receipt));
  await Promise.all([...acks, queue.extend("c", 1), queue.extend("gone", 0), queue.extend("d", 86_400_000)]);
  const byOperation = new Map(service.asked.map((asked) => [asked.operation, entriesOf(asked)]));
  expect(service.asked).toHaveLength(2);
  expect(byOperation.get("DeleteMessageBatch")!.map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(["a", "gone", "b"]);
  const extended = byOperation
    .get("ChangeMessageVisibilityBatch")!
    .map((one) => [one.ReceiptHandle, one.VisibilityTimeout]);
  expect(extended).toEqual([
    ["c", 1],
    ["gone", 0],
    ["d", 43_200],
  ]);
});

test.each([
  [0, 0],
  [1, 1],
  [1_000, 1],
  [1_000.5, 2],
  [899_001, 900],
  [900_000, 900],
])("a delay of %d ms becomes %d s", async (delayMs, seconds) => {
  const { queue, service } = await queueOn((asked) => ({ body: { Successful: entriesOf(asked).map(served) } }));
  await queue.send(wake(0, delayMs));
  expect(entriesOf(service.asked[0]!)[0]!.DelaySeconds).toBe(seconds);
});
