/** The timers on AWS: schedules, or hops through the queue where schedules do not fire. */
import { LadderTimers } from "../adapters/scheduler/ladder-timers.ts";
import { schedulerClient } from "../adapters/scheduler/scheduler-client.ts";
import { SchedulerTimers } from "../adapters/scheduler/scheduler-timers.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Queue } from "../engine/ports/queue.ts";
import type { Timers } from "../engine/ports/timers.ts";
import { required } from "./required-setting.ts";

/** @throws CodedError RT0002 if a setting is missing; RangeError if the times contradict each other */
export function awsTimers(settings: Settings, queue: Queue, clock: Clock): Timers {
  if (settings["aws.timers"] === "ladder") {
    return new LadderTimers({ queue, clock, hopMs: settings["aws.ladder-hop"] });
  }
  return new SchedulerTimers({
    client: schedulerClient(),
    queue,
    queueArn: required(settings, "aws.queue-arn"),
    roleArn: required(settings, "aws.schedule-role-arn"),
    groupName: required(settings, "aws.schedule-group"),
    clock,
    earlyMs: settings["aws.schedule-early"],
    nearMs: settings["aws.schedule-near"],
  });
}
