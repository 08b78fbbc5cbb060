/** The timers' contract on EventBridge Scheduler and SQS, and what only schedules have: times, names, a missing group. */
import {
  CreateScheduleGroupCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  type SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { schedulerClient } from "../../shared/adapters/scheduler/scheduler-client.ts";
import {
  scheduleName,
  SchedulerTimers,
  type SchedulerTimersOptions,
} from "../../shared/adapters/scheduler/scheduler-timers.ts";
import { StoreError } from "../../shared/engine/ports/table.ts";
import { wakeOfBody } from "../../shared/engine/ports/wake-body.ts";
import { invocation } from "../contracts/queue-contract.ts";
import { timersContract, type OpenTimers, type TimersTiming } from "../contracts/timers-contract.ts";
import { openQueue } from "./open-queue.ts";
import { ACCOUNT, freshName, serviceOptions, systemClock } from "./services.ts";

/** The emulator looks at schedules once a second, with times in whole seconds, and the queue rounds to whole seconds again. */
const SECONDS: TimersTiming = {
  unitMs: 6_000,
  marginMs: 3_000,
  lateMs: 2_500,
  tries: 400,
  keepsOrderOfCalls: false,
  knowsNames: true,
  queueDelayMaxMs: 2_500,
};

interface OpenSchedulerTimers extends OpenTimers {
  readonly client: SchedulerClient;
  readonly options: SchedulerTimersOptions;
}

async function openTimers(): Promise<OpenSchedulerTimers> {
  const opened = await openQueue();
  const client = schedulerClient(serviceOptions());
  const groupName = freshName("group");
  await client.send(new CreateScheduleGroupCommand({ Name: groupName }));
  const options: SchedulerTimersOptions = {
    client,
    queue: opened.queue,
    queueArn: opened.queueArn,
    roleArn: `arn:aws:iam::${ACCOUNT}:role/scheduler`,
    groupName,
    clock: systemClock,
    earlyMs: 1_500,
    nearMs: 2_500,
  };
  return {
    ...opened,
    client,
    options,
    // A getter, because `reopen` replaces the queue.
    get queue() {
      return opened.queue;
    },
    get timers() {
      return new SchedulerTimers(options);
    },
    async close() {
      await client.send(new DeleteScheduleGroupCommand({ Name: groupName }));
      client.destroy();
      await opened.close();
    },
  };
}

timersContract("scheduler", openTimers, SECONDS);

describe("timers on EventBridge Scheduler", () => {
  let opened: OpenSchedulerTimers;
  beforeEach(async () => {
    opened = await openTimers();
  });
  afterEach(() => opened.close());
  const schedules = async () =>
    (await opened.client.send(new ListSchedulesCommand({ GroupName: opened.options.groupName }))).Schedules ?? [];

  test("a far timer is one schedule with an exact time just before the moment; it fires once and removes itself", async () => {
    const year = new Date().getUTCFullYear() + 1;
    const wakeAtMs = Date.UTC(year, 5, 1, 12, 0, 30, 250);
    const name = `${invocation(1)}.nonce.suspended.1.1`;
    await opened.timers.at({ name, invocationId: invocation(1), wakeAtMs });
    await opened.timers.at({ name, invocationId: invocation(1), wakeAtMs: wakeAtMs + 60_000 });
    expect(await schedules()).toHaveLength(1);
    const schedule = await opened.client.send(
      new GetScheduleCommand({ GroupName: opened.options.groupName, Name: scheduleName(name) }),
    );
    expect(schedule).toMatchObject({
      ScheduleExpression: `at(${year}-06-01T12:00:28)`,
      ActionAfterCompletion: "DELETE",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { Arn: opened.options.queueArn, RoleArn: opened.options.roleArn },
    });
    const wake = { invocationId: invocation(1), sentAtMs: wakeAtMs - 1_500, delayMs: 0, wakeAtMs };
    expect(wakeOfBody(schedule.Target!.Input!)).toEqual({ wake });
  });

  test("a near timer is not a schedule, but a delayed message with the timer's moment", async () => {
    const wakeAtMs = Date.now() + 1_000;
    await opened.timers.at({ name: "near", invocationId: invocation(1), wakeAtMs });
    expect(await schedules()).toEqual([]);
    expect(await opened.queue.receive(1, 1_000, 20_000)).toMatchObject([{ wake: { wakeAtMs } }]);
    expect(Date.now()).toBeGreaterThanOrEqual(wakeAtMs);
  });

  test("a fired timer is deleted, so that its name can be used again", async () => {
    const set = () => opened.timers.at({ name: "again", invocationId: invocation(1), wakeAtMs: Date.now() + 3_500 });
    for (const round of [1, 2]) {
      await set();
      expect(await opened.queue.receive(1, 30_000, 20_000), `round ${round}`).toHaveLength(1);
      for (let tries = 0; tries < 2_000 && (await schedules()).length > 0; tries++) await opened.advance(50);
      expect(await schedules()).toEqual([]);
    }
  });

  test("a missing group is a StoreError", async () => {
    const timers = new SchedulerTimers({ ...opened.options, groupName: "no-such-group" });
    const timer = { name: "a", invocationId: invocation(1), wakeAtMs: Date.now() + 3_600_000 };
    await expect(timers.at(timer)).rejects.toThrow(StoreError);
  });
});
