/** Makes ports of the functions on AWS from the settings: the queue of wakes, timers, endpoints and topics. */
import { CronCalendar } from "../adapters/calendar/cron-calendar.ts";
import { SchedulerScheduleWakes } from "../adapters/scheduler/scheduler-schedule-wakes.ts";
import { SqsScheduleWakes, type SqsScheduleWakesOptions } from "../adapters/sqs/sqs-schedule-wakes.ts";
import type { SchedulePorts } from "../engine/ports/schedules.ts";
import { LanedQueue } from "../adapters/sqs/laned-queue.ts";
import { SqsQueue, type SqsQueueOptions } from "../adapters/sqs/sqs-queue.ts";
import type { Settings, SettingPath } from "../config/settings-table.ts";
import type { Queue } from "../engine/ports/queue.ts";
import type { Registry } from "../engine/ports/registry.ts";
import { variableOf } from "../config/setting-names.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { LadderTimers } from "../adapters/scheduler/ladder-timers.ts";
import { schedulerClient } from "../adapters/scheduler/scheduler-client.ts";
import { SchedulerTimers } from "../adapters/scheduler/scheduler-timers.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Timers } from "../engine/ports/timers.ts";
import { HttpsEndpoints } from "../adapters/https/https-endpoints.ts";
import type { Endpoints } from "../engine/ports/endpoints.ts";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { EventSourceTopics } from "../adapters/event-sources/event-source-topics.ts";
import { LambdaMappings } from "../adapters/event-sources/mappings.ts";
import type { Topics } from "../engine/ports/topics.ts";

/**
 * @param known contains the registry once it exists; messages that are sent before then go to the main lane
 * @throws CodedError RT0002 if a setting is missing
 */
export function awsQueue(
  settings: Settings,
  sqs: Omit<SqsQueueOptions, "queueUrl" | "fairBy">,
  known: { readonly registry?: Registry },
): Queue {
  const fairBy = settings["aws.fair-queue"];
  const main = new SqsQueue({ ...sqs, fairBy, queueUrl: required(settings, "aws.queue-url") });
  const queueUrl = settings["aws.slow-queue-url"];
  if (queueUrl === undefined) return main;
  const slow = new SqsQueue({ ...sqs, fairBy, queueUrl });
  return new LanedQueue({ main, slow, isSlow: (service) => known.registry?.isSlow(service) === true });
}

type TextPath = { [Path in SettingPath]: Settings[Path] extends string | undefined ? Path : never }[SettingPath];

/** @throws CodedError RT0002 if the setting is missing */
export function required(settings: Settings, path: TextPath): string {
  const value = settings[path];
  if (value !== undefined) return value;
  throw new CodedError("RT0002", `${path} is not set; the environment variable ${variableOf(path)} sets it`);
}

/** A wake that is due within this time goes to the queue. A schedule fires half of it before its wake is due. */
const NEAR_MS = 2 * 60_000;

/** @throws CodedError RT0002 if a setting is missing; RangeError if the times contradict each other */
export function awsTimers(settings: Settings, queue: Queue, clock: Clock): Timers {
  const hopMs = settings["worker.queue-delay"];
  if (settings["aws.timers"] === "ladder") return new LadderTimers({ queue, clock, hopMs });
  const nearMs = Math.min(NEAR_MS, hopMs);
  return new SchedulerTimers({
    client: schedulerClient(),
    queue,
    queueArn: required(settings, "aws.queue-arn"),
    roleArn: required(settings, "aws.schedule-role-arn"),
    groupName: required(settings, "aws.schedule-group"),
    clock,
    earlyMs: nearMs / 2,
    nearMs,
  });
}

/** The shortest time between two moments of a schedule: below it, the cost of ticks grows faster than their use. */
const INTERVAL_MIN_MS = 60_000;

/** @throws CodedError RT0002 if a setting is missing */
export function awsSchedules(
  settings: Settings,
  client: SqsScheduleWakesOptions["client"],
  clock: Clock,
): SchedulePorts {
  const hopMs = settings["worker.queue-delay"];
  const queueUrl = required(settings, "aws.queue-url");
  const near = new SqsScheduleWakes({ client, queueUrl, clock, hopMs, fairBy: settings["aws.fair-queue"] });
  const ports = { calendar: new CronCalendar(), intervalMinMs: INTERVAL_MIN_MS };
  if (settings["aws.timers"] === "ladder") return { ...ports, wakes: near };
  const place = {
    client: schedulerClient(),
    queueArn: required(settings, "aws.queue-arn"),
    roleArn: required(settings, "aws.schedule-role-arn"),
    groupName: required(settings, "aws.schedule-group"),
  };
  const earlyMs = Math.min(NEAR_MS, hopMs) / 2;
  return { ...ports, wakes: new SchedulerScheduleWakes({ place, near, nearMs: hopMs, earlyMs, clock }) };
}

type HttpsSettings = Pick<Settings, "aws.allowed-addresses" | "worker.invoker.connect-timeout">;

/**
 * A function may run inside a private network. So it connects only to public addresses, over TLS, and to the addresses that
 * the setting allows.
 */
export function awsHttpsEndpoints(settings: HttpsSettings): HttpsEndpoints {
  const allowedBy = "aws.allowed-addresses";
  const allow = (settings[allowedBy] ?? "").split(",").map((range) => range.trim());
  return new HttpsEndpoints({
    allow: allow.filter((range) => range !== ""),
    allowedBy,
    // Requests contain inputs, states and the headers that authenticate Stepwell to deployments.
    isClearGuarded: true,
    connectTimeoutMs: settings["worker.invoker.connect-timeout"],
  });
}

export function endpointsByDestination({ https, lambda }: Readonly<Record<"https" | "lambda", Endpoints>>): Endpoints {
  return { open: (request) => ("arn" in request.destination ? lambda : https).open(request) };
}

const NO_FUNCTION =
  "This environment consumes no topics: deploy the stack with kafkaClusters, which adds the function that accepts records";

export function awsTopics(settings: Settings, clock: Clock): Topics {
  const functionName = settings["aws.topics-function"];
  if (functionName === undefined) return withoutFunction();
  const client = new LambdaClient({ retryMode: "adaptive" });
  return new EventSourceTopics(new LambdaMappings(client, functionName, clock), clock);
}

function withoutFunction(): Topics {
  return {
    follow: async (wanted, sink) => {
      for (const { subscription } of wanted) await sink.failed(subscription.id, NO_FUNCTION);
      return wanted.length;
    },
    lag: async () => [],
    close: async () => undefined,
  };
}
