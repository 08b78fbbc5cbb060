/** The queue's contract on SQS, and what only SQS has: whole seconds, groups, foreign bodies, a missing queue. */
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sqsClient } from "../../shared/adapters/sqs/sqs-client.ts";
import { SqsQueue } from "../../shared/adapters/sqs/sqs-queue.ts";
import { StoreError } from "../../shared/engine/ports/table.ts";
import { invocation, queueContract } from "../contracts/queue-contract.ts";
import { silentLog } from "../recording-log.ts";
import { openQueue, SECONDS, type OpenSqsQueue } from "./open-queue.ts";
import { serviceOptions, systemClock } from "./services.ts";

queueContract("sqs", openQueue, SECONDS);

describe("the queue on SQS", () => {
  let opened: OpenSqsQueue;
  beforeEach(async () => {
    opened = await openQueue();
  });
  afterEach(() => opened.close());

  const messagesIn = async (attribute: "ApproximateNumberOfMessages" | "ApproximateNumberOfMessagesDelayed") => {
    const command = new GetQueueAttributesCommand({ QueueUrl: opened.queueUrl, AttributeNames: [attribute] });
    return Number((await opened.client.send(command)).Attributes?.[attribute]);
  };
  const sendBody = (body: string) =>
    opened.client.send(new SendMessageCommand({ QueueUrl: opened.queueUrl, MessageBody: body }));

  test("a fraction of a second is rounded up: the message is delayed, not sent at once", async () => {
    let delayed = 0;
    // The message is delayed for one second only. If the count comes later than that, the test sends another message.
    for (let tries = 0; tries < 50 && delayed === 0; tries++) {
      await opened.queue.send({ invocationId: invocation(1), sentAtMs: 0, delayMs: 1 });
      delayed = await messagesIn("ApproximateNumberOfMessagesDelayed");
    }
    expect(delayed).toBe(1);
    expect(await opened.queue.receive(1, 30_000, 20_000)).toMatchObject([{ wake: { delayMs: 1 } }]);
  });

  const groupOfNext = async () => {
    const MessageSystemAttributeNames = ["MessageGroupId" as const];
    const command = new ReceiveMessageCommand({ QueueUrl: opened.queueUrl, MessageSystemAttributeNames });
    const [message] = (await opened.client.send(command)).Messages ?? [];
    return { isThere: message !== undefined, group: message?.Attributes?.MessageGroupId };
  };

  test.each([
    ["shop.Orders_v2", "shop.Orders_v2"],
    ["an odd näme \uffff", expect.stringMatching(/^[\w-]{43}$/)],
    ["x".repeat(129), expect.stringMatching(/^[\w-]{43}$/)],
    [undefined, undefined],
  ])("a message for the service %j is accepted; its group follows from the service", async (service, group) => {
    const wake = { invocationId: invocation(1), sentAtMs: 0, delayMs: 0, ...(service !== undefined && { service }) };
    await opened.queue.send(wake);
    expect(await groupOfNext()).toEqual({ isThere: true, group });
  });

  test("messages of one group are received without waiting for the end of earlier ones", async () => {
    for (const n of [1, 2, 3])
      await opened.queue.send({ invocationId: invocation(n), sentAtMs: 0, delayMs: 0, service: "Greeter" });
    const seen = new Set<string>();
    for (let tries = 0; tries < 100 && seen.size < 3; tries++)
      for (const { wake } of await opened.queue.receive(1, 60_000, 1_000)) seen.add(wake.invocationId);
    expect(seen.size).toBe(3);
  });

  test("a message that is no wake is logged and deleted, and delays no other", async () => {
    await sendBody("look at this");
    await opened.queue.send({ invocationId: invocation(1), sentAtMs: 0, delayMs: 0 });
    await sendBody(JSON.stringify({ id: "inv_1nonsense", sentAtMs: 0, delayMs: 0 }));
    const received = await opened.queue.receive(10, 1_000, 20_000);
    expect(received.map(({ wake }) => wake.invocationId)).toEqual([invocation(1)]);
    expect(opened.log.lines.map(({ level }) => level)).toEqual(["error", "error"]);
    await opened.advance(1_700);
    expect(await opened.queue.receive(10, 1_000, 0)).toMatchObject([{ receiveCount: 2 }]);
    expect(await messagesIn("ApproximateNumberOfMessages")).toBe(0);
  });

  test("a missing queue is a StoreError", async () => {
    const client = sqsClient(serviceOptions());
    const queueUrl = `${opened.queueUrl}-gone`;
    const gone = new SqsQueue({ client, queueUrl, clock: systemClock, log: silentLog });
    await expect(gone.send({ invocationId: invocation(1), sentAtMs: 0, delayMs: 0 })).rejects.toThrow(StoreError);
    await expect(gone.receive(1, 1_000, 0)).rejects.toThrow(StoreError);
    await expect(gone.ack("receipt")).rejects.toThrow(StoreError);
    client.destroy();
  });
});
