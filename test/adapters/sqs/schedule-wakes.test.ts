/** Wakes of schedules as messages: what is sent near and far, and what is read again. */
import type { SchedulerClient } from "@aws-sdk/client-scheduler";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { SchedulerScheduleWakes } from "../../../shared/adapters/scheduler/scheduler-schedule-wakes.ts";
import { readMessages } from "../../../shared/adapters/sqs/received-message.ts";
import { SqsScheduleWakes } from "../../../shared/adapters/sqs/sqs-schedule-wakes.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const clock = new SteppedClock(NOW_MS);

/** A client that keeps the inputs of its requests. */
function keeping(): {
  readonly inputs: Record<string, unknown>[];
  readonly send: (command: object) => Promise<object>;
} {
  const inputs: Record<string, unknown>[] = [];
  return {
    inputs,
    send: (command) => {
      inputs.push((command as { readonly input: Record<string, unknown> }).input);
      return Promise.resolve({});
    },
  };
}

const near = (client: ReturnType<typeof keeping>, hopMs = 15 * MINUTE_MS): SqsScheduleWakes =>
  new SqsScheduleWakes({ client: client as unknown as SQSClient, queueUrl: "q", clock, hopMs });

test("a near wake is a delayed message, and comes back as it was sent", async () => {
  const client = keeping();
  const wake = { schedule: "nightly", atMs: NOW_MS + 90_500 };
  await near(client).at(wake);
  expect(client.inputs).toEqual([
    { QueueUrl: "q", MessageBody: JSON.stringify(wake), DelaySeconds: 91, MessageGroupId: "schedules" },
  ]);
  const body = String(client.inputs[0]!["MessageBody"]);
  const message = { messageId: "m", receipt: "r", body, receiveCount: "2" };
  expect(readMessages([message]).schedules).toEqual([{ messageId: "m", receipt: "r", wake, receiveCount: 2 }]);
});

test("without one-time schedules a far wake goes hop by hop", async () => {
  const client = keeping();
  await near(client).at({ schedule: "nightly", atMs: NOW_MS + 60 * MINUTE_MS });
  expect(client.inputs[0]).toMatchObject({ DelaySeconds: 900 });
});

test("a far wake is a one-time schedule that fires a minute early, with one name for each moment", async () => {
  const [client, queue] = [keeping(), keeping()];
  const place = { client: client as unknown as SchedulerClient, queueArn: "a", roleArn: "b", groupName: "c" };
  const wakes = new SchedulerScheduleWakes({
    place,
    near: near(queue),
    nearMs: 15 * MINUTE_MS,
    earlyMs: MINUTE_MS,
    clock,
  });
  const wake = { schedule: "nightly", atMs: NOW_MS + 60 * MINUTE_MS };
  await wakes.at(wake);
  await wakes.at(wake);
  expect(queue.inputs).toEqual([]);
  expect(client.inputs[0]).toMatchObject({
    ScheduleExpression: "at(2026-01-01T00:59:00)",
    Target: { Input: JSON.stringify(wake) },
  });
  expect(client.inputs[1]!["Name"]).toBe(client.inputs[0]!["Name"]);
  await wakes.at({ schedule: "nightly", atMs: NOW_MS + 10 * MINUTE_MS });
  expect(queue.inputs).toHaveLength(1);
});

test.each([
  '{"schedule":"a b","atMs":1}',
  '{"schedule":"nightly"}',
  '{"schedule":"nightly","atMs":"soon"}',
  '{"schedule":',
])("the body %s is no wake", (body) => {
  const { schedules, unreadable } = readMessages([{ messageId: "m", receipt: "r", body, receiveCount: "1" }]);
  expect([schedules, unreadable.length]).toEqual([[], 1]);
});
