/** Timers on EventBridge Scheduler: a schedule fires once into the queue, before the timer's moment, and is then deleted. */
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from "@aws-sdk/client-scheduler";
import type { Clock } from "../../engine/ports/clock.ts";
import { QUEUE_DELAY_MAX_MS, type Queue } from "../../engine/ports/queue.ts";
import { StoreError } from "../../engine/ports/table.ts";
import type { Timer, Timers } from "../../engine/ports/timers.ts";
import { bodyOfWake } from "../../engine/ports/wake-body.ts";
import { createHash } from "node:crypto";
import { momentIso } from "../../core/model/moment.ts";

/** The default of `earlyMs`: a schedule fires up to a minute after its time. */
const EARLY_MS = 60_000;

export interface SchedulerTimersOptions {
  readonly client: SchedulerClient;
  /** Receives near timers directly, and is the target of all schedules. */
  readonly queue: Queue;
  readonly queueArn: string;
  /** The role that EventBridge Scheduler assumes to send to the queue. */
  readonly roleArn: string;
  /** The group of all schedules of the environment. */
  readonly groupName: string;
  readonly clock: Clock;
  /**
   * How long before the timer's moment its schedule fires; a delayed message in the queue covers the remaining time.
   * Default one minute.
   */
  readonly earlyMs?: number;
  /** Timers that are due within this time go to the queue as delayed messages; default twice `earlyMs`. */
  readonly nearMs?: number;
}

export class SchedulerTimers implements Timers {
  readonly #options: SchedulerTimersOptions;
  readonly #earlyMs: number;
  readonly #nearMs: number;

  /** @throws RangeError unless 0 ≤ `earlyMs` < `nearMs` ≤ the longest delay of the queue */
  constructor(options: SchedulerTimersOptions) {
    this.#options = options;
    this.#earlyMs = options.earlyMs ?? EARLY_MS;
    this.#nearMs = options.nearMs ?? 2 * this.#earlyMs;
    if (!(this.#earlyMs >= 0 && this.#nearMs > this.#earlyMs && this.#nearMs <= QUEUE_DELAY_MAX_MS)) {
      throw new RangeError(`earlyMs must be at least 0 and less than nearMs, and nearMs at most ${QUEUE_DELAY_MAX_MS}`);
    }
  }

  async at({ name, invocationId, wakeAtMs, service }: Timer): Promise<void> {
    const { queue, clock } = this.#options;
    const nowMs = clock.nowMs();
    const leftMs = Math.max(0, Math.ceil(wakeAtMs - nowMs));
    const wake = { invocationId, wakeAtMs, ...(service !== undefined && { service }) };
    if (leftMs <= this.#nearMs) {
      await queue.send({ ...wake, sentAtMs: nowMs, delayMs: leftMs });
      return;
    }
    const fireAtMs = wakeAtMs - this.#earlyMs;
    // A schedule's message has no message group, because Scheduler documents message groups only for FIFO queues. The body
    // names the service. The message arrives early, and the worker replaces it with one that has the service's group.
    await setOnce(this.#options, { name, fireAtMs, body: bodyOfWake({ ...wake, sentAtMs: fireAtMs, delayMs: 0 }) });
  }

  /** Timers that went to the queue at once cannot be cancelled: they arrive as hints. */
  async cancel(name: string): Promise<void> {
    const command = new DeleteScheduleCommand({ Name: scheduleName(name), GroupName: this.#options.groupName });
    await scheduled("cancel a timer", () => this.#options.client.send(command), ResourceNotFoundException);
  }
}

/** Where one-time schedules are made, and what they send to. */
export type SchedulePlace = Pick<SchedulerTimersOptions, "client" | "queueArn" | "roleArn" | "groupName">;

/**
 * Makes a one-time schedule that sends the body to the queue.
 * @throws StoreError
 */
export async function setOnce(
  { client, queueArn, roleArn, groupName }: SchedulePlace,
  { name, fireAtMs, body }: { readonly name: string; readonly fireAtMs: number; readonly body: string },
): Promise<void> {
  const command = new CreateScheduleCommand({
    Name: scheduleName(name),
    GroupName: groupName,
    ScheduleExpression: scheduleExpression(fireAtMs),
    ScheduleExpressionTimezone: "UTC",
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
    Target: { Arn: queueArn, RoleArn: roleArn, Input: body },
  });
  // A conflict means that the timer is set already; its first moment stays.
  await scheduled("set a timer", () => client.send(command), ConflictException);
}

async function scheduled(
  what: string,
  request: () => Promise<unknown>,
  welcome: typeof ConflictException | typeof ResourceNotFoundException,
): Promise<void> {
  try {
    await request();
  } catch (cause) {
    if (cause instanceof welcome) return;
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new StoreError(`EventBridge Scheduler could not ${what}: ${reason}`, { cause });
  }
}

/** Encodes a timer as the name and the expression of a schedule. */
const NAME_READABLE_CHARACTERS = 38;
const NAME_HASH_CHARACTERS = 24;

/**
 * A schedule's name has at most 64 characters, and a timer's name has more. The start stays readable, so that an operator can
 * find an invocation among the schedules; 144 bits of a hash identify the whole name (I7).
 */
export function scheduleName(timerName: string): string {
  const readable = timerName.slice(0, NAME_READABLE_CHARACTERS).replaceAll(/[^0-9A-Za-z_-]/g, "_");
  const hash = createHash("sha256").update(timerName).digest("base64url").slice(0, NAME_HASH_CHARACTERS);
  return `${readable}.${hash}`;
}

/** Whole seconds of UTC; fractions are dropped, so that a schedule is never late. */
export function scheduleExpression(atMs: number): string {
  return `at(${momentIso(atMs).slice(0, 19)})`;
}
