/** Sends wakes of schedules to the queue of wakes; a wake beyond the longest delay goes hop by hop. */
import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Clock } from "../../engine/ports/clock.ts";
import { bodyOfScheduleWake } from "../../engine/ports/schedule-wake-body.ts";
import type { ScheduleWake, ScheduleWakes } from "../../engine/ports/schedules.ts";
import { storeFailure } from "./store-failure.ts";

const GROUP = "schedules";

export interface SqsScheduleWakesOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly clock: Clock;
  /** The longest delay of a message. The receiver of a message that comes before its moment sends the next. */
  readonly hopMs: number;
  /** The same setting as for the queue's wakes. */
  readonly fairBy?: "service" | "none";
}

export class SqsScheduleWakes implements ScheduleWakes {
  readonly #options: SqsScheduleWakesOptions;

  constructor(options: SqsScheduleWakesOptions) {
    this.#options = options;
  }

  /** @throws StoreError */
  async at(wake: ScheduleWake): Promise<void> {
    const { client, queueUrl, clock, hopMs, fairBy = "service" } = this.#options;
    const delayMs = Math.min(hopMs, Math.max(0, wake.atMs - clock.nowMs()));
    const input = {
      QueueUrl: queueUrl,
      MessageBody: bodyOfScheduleWake(wake),
      DelaySeconds: Math.ceil(delayMs / 1_000),
      ...(fairBy === "service" && { MessageGroupId: GROUP }),
    };
    try {
      await client.send(new SendMessageCommand(input));
    } catch (cause) {
      throw storeFailure("send the wake of a schedule", cause);
    }
  }
}
