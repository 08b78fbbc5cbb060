/** Timers without a scheduler service: a message is delayed hop by hop, and the receiver of one hop sends the next. */
import type { Clock } from "../../engine/ports/clock.ts";
import { QUEUE_DELAY_MAX_MS, type Queue } from "../../engine/ports/queue.ts";
import type { Timer, Timers } from "../../engine/ports/timers.ts";

export interface LadderTimersOptions {
  readonly queue: Queue;
  readonly clock: Clock;
  /** The longest hop; default the longest delay of the queue. */
  readonly hopMs?: number;
}

/**
 * Messages have no names: a timer that is set twice sends two hints, and a cancelled timer still arrives as a hint.
 * The receiver acks a hop after it has sent the next (I11); the sweeper finds an invocation whose hop was lost (I8).
 */
export class LadderTimers implements Timers {
  readonly #queue: Queue;
  readonly #clock: Clock;
  readonly #hopMs: number;

  /** @throws RangeError if the queue cannot delay by a hop */
  constructor({ queue, clock, hopMs = QUEUE_DELAY_MAX_MS }: LadderTimersOptions) {
    if (!(hopMs > 0 && hopMs <= QUEUE_DELAY_MAX_MS)) {
      throw new RangeError(`a hop takes more than 0 and at most ${QUEUE_DELAY_MAX_MS} ms, not ${hopMs}`);
    }
    this.#queue = queue;
    this.#clock = clock;
    this.#hopMs = hopMs;
  }

  async at({ invocationId, wakeAtMs, service }: Timer): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const delayMs = Math.min(this.#hopMs, Math.max(0, Math.ceil(wakeAtMs - nowMs)));
    await this.#queue.send({
      invocationId,
      sentAtMs: nowMs,
      delayMs,
      wakeAtMs,
      ...(service !== undefined && { service }),
    });
  }

  async cancel(): Promise<void> {}
}
