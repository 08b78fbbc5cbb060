/** Timers in memory, each of which becomes a message in a queue. */
import type { Clock } from "../../shared/engine/ports/clock.ts";
import type { Queue } from "../../shared/engine/ports/queue.ts";
import type { Timer, Timers } from "../../shared/engine/ports/timers.ts";

export class MemoryTimers implements Timers {
  readonly #clock: Clock;
  readonly #queue: Queue;
  readonly #set = new Map<string, AbortController>();

  constructor(clock: Clock, queue: Queue) {
    this.#clock = clock;
    this.#queue = queue;
  }

  async at({ name, wakeAtMs, ...recipient }: Timer): Promise<void> {
    if (this.#set.has(name)) return;
    const cancelled = new AbortController();
    this.#set.set(name, cancelled);
    void this.#clock.sleep(wakeAtMs - this.#clock.nowMs(), cancelled.signal).then(async (whole) => {
      if (!whole) return;
      this.#set.delete(name);
      await this.#queue.send({ ...recipient, sentAtMs: this.#clock.nowMs(), delayMs: 0 });
    });
  }

  /** Loses every timer, as when only the table is restored. */
  clear(): void {
    for (const cancelled of this.#set.values()) cancelled.abort();
    this.#set.clear();
  }

  async cancel(name: string): Promise<void> {
    this.#set.get(name)?.abort();
    this.#set.delete(name);
  }
}
