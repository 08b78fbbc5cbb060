/** Exchanges whose answer is known and whose stream has not ended yet: each gets a bounded time to end by itself. */
import type { Exchange } from "../ports/endpoints.ts";

/** So that its connection can be used again; what does not end is cut off, by the next round of the watch. */
const DRAIN_MAX_MS = 5_000;

interface Drain {
  readonly untilMs: number;
  /** Undefined once it has ended. */
  exchange: Exchange | undefined;
}

export class Drains {
  #open: Drain[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Reads to the end of the stream. Never rejects: what breaks behind the answer is of no consequence. */
  async drain(exchange: Exchange, nowMs: number): Promise<void> {
    const drain: Drain = { untilMs: nowMs + DRAIN_MAX_MS, exchange };
    this.#open.push(drain);
    try {
      while ((await exchange.next()) !== undefined);
    } catch {
      // Broken is ended too.
    } finally {
      drain.exchange = undefined;
    }
  }

  /** Cuts off what is late, and forgets what has ended. */
  look(nowMs: number): void {
    for (const { exchange, untilMs } of this.#open) if (untilMs <= nowMs) exchange?.abort();
    this.#open = this.#open.filter(({ exchange, untilMs }) => exchange !== undefined && untilMs > nowMs);
  }
}
