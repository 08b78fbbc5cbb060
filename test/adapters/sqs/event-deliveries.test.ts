/** Tests deliveries from a function's event, and the function's answer. */
import { expect, test } from "vitest";
import { batchFailures, deliveriesOfEvent, laneOfEvent } from "../../../shared/adapters/sqs/event-deliveries.ts";
import { slowReceipt } from "../../../shared/adapters/sqs/laned-queue.ts";
import { bodyOfSlice } from "../../../shared/adapters/sqs/sqs-slices.ts";
import { bodyOfWake } from "../../../shared/engine/ports/wake-body.ts";
import { invocation } from "../../contracts/queue-contract.ts";

const WAKE = { invocationId: invocation(1), sentAtMs: 1, delayMs: 2, wakeAtMs: 3, service: "Greeter" };

function record(messageId: string, body: string, receiveCount = "1", sentTimestamp = "1") {
  return {
    messageId,
    receiptHandle: `receipt of ${messageId}`,
    body,
    attributes: { ApproximateReceiveCount: receiveCount, SentTimestamp: sentTimestamp },
    eventSource: "aws:sqs",
  };
}

test("each record becomes a delivery with the receipt for the queue's ack and extend", () => {
  const event = { Records: [record("a", bodyOfWake(WAKE)), record("b", bodyOfWake(WAKE), "7")] };
  expect(deliveriesOfEvent(event)).toEqual({
    deliveries: [
      { messageId: "a", receipt: "receipt of a", wake: WAKE, receiveCount: 1 },
      { messageId: "b", receipt: "receipt of b", wake: WAKE, receiveCount: 7 },
    ],
    slices: [],
    schedules: [],
    unreadable: [],
  });
});

test("unreadable messages are reported with a reason, and do not affect others", () => {
  const { deliveries, unreadable } = deliveriesOfEvent({
    Records: [record("a", "hello"), record("b", bodyOfWake(WAKE)), record("c", "{}")],
  });
  expect(deliveries.map(({ messageId }) => messageId)).toEqual(["b"]);
  expect(unreadable).toEqual([
    { messageId: "a", receipt: "receipt of a", reason: "it is no JSON" },
    { messageId: "c", receipt: "receipt of c", reason: "it has no id" },
  ]);
});

test("a missing or unreadable receive count counts as a first delivery", () => {
  const { attributes: _, ...bare } = record("a", bodyOfWake(WAKE));
  const { deliveries } = deliveriesOfEvent({ Records: [bare, record("b", bodyOfWake(WAKE), "many")] });
  expect(deliveries.map(({ receiveCount }) => receiveCount)).toEqual([1, 1]);
});

test("the answer names exactly the failed messages", () => {
  const { deliveries } = deliveriesOfEvent({ Records: ["a", "b", "c"].map((id) => record(id, bodyOfWake(WAKE))) });
  expect(batchFailures([])).toEqual({ batchItemFailures: [] });
  expect(batchFailures(deliveries.filter(({ messageId }) => messageId !== "b"))).toEqual({
    batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "c" }],
  });
});

test("a message that names a slice of a walk is neither a wake nor unreadable", () => {
  const name = "listing#1767225600000#3-3#001767225600000#inv_1abc!";
  const event = {
    Records: [record("a", bodyOfSlice(name)), record("b", '{"slice":"<script>"}'), record("c", '{"slice":7}')],
  };
  const { deliveries, slices, unreadable } = deliveriesOfEvent(event);
  expect([deliveries, slices]).toEqual([[], [{ messageId: "a", receipt: "receipt of a", slice: name }]]);
  expect(unreadable.map(({ messageId }) => messageId)).toEqual(["b", "c"]);
});

test("a sentAtMs far in the future is replaced by the moment when SQS accepted the message; a small skew is allowed", () => {
  const far = bodyOfWake({ ...WAKE, sentAtMs: 9e15 });
  const near = bodyOfWake({ ...WAKE, sentAtMs: 1_030_000 });
  const event = { Records: [record("a", far, "1", "1000000"), record("b", near, "1", "1000000")] };
  const sent = deliveriesOfEvent(event).deliveries.map(({ wake }) => wake.sentAtMs);
  expect(sent).toEqual([1_000_000, 1_030_000]);
});

test.each([
  ["arn:aws:sqs:eu-west-1:111122223333:slow-wakes", "slow"],
  ["arn:aws:sqs:eu-west-1:111122223333:wakes", "main"],
  [undefined, "main"],
] as const)("an event from %s belongs to the %s lane, and so do its receipts", (arn, lane) => {
  const from = { ...record("a", bodyOfWake(WAKE)), ...(arn !== undefined && { eventSourceARN: arn }) };
  const url = "https://sqs.eu-west-1.amazonaws.com/111122223333/slow-wakes";
  expect(laneOfEvent({ Records: [from] }, url)).toBe(lane);
  expect(laneOfEvent({ Records: [from] }, undefined)).toBe("main");
  const [delivery] = deliveriesOfEvent({ Records: [from] }, lane).deliveries;
  expect(delivery!.receipt).toBe(lane === "slow" ? slowReceipt("receipt of a") : "receipt of a");
});
