/** Exchanges whose answer is complete and whose stream is still open: each gets a bounded time to end by itself. */
import type { Exchange } from "../ports/endpoints.ts";

/** An exchange that ends by itself leaves a reusable connection. After this time, `look` aborts the exchange. */
const DRAIN_MAX_MS = 5_000;

interface Drain {
  untilMs: number;
  /** Undefined once the exchange has ended. */
  exchange: Exchange | undefined;
}

export class Drains {
  #open: Drain[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Reads to the end of the stream. Never rejects: a break after the answer has no consequence. */
  async drain(exchange: Exchange, nowMs: number): Promise<void> {
    const drain: Drain = { untilMs: nowMs + DRAIN_MAX_MS, exchange };
    this.#open.push(drain);
    try {
      while ((await exchange.next()) !== undefined);
    } catch {
      // A broken exchange has ended, too.
    } finally {
      drain.exchange = undefined;
    }
  }

  /** Moves the ends by the time by which the clock was set. */
  shift(setMs: number): void {
    for (const drain of this.#open) drain.untilMs += setMs;
  }

  /** Aborts late exchanges, and forgets ended ones. */
  look(nowMs: number): void {
    for (const { exchange, untilMs } of this.#open) if (untilMs <= nowMs) exchange?.abort();
    this.#open = this.#open.filter(({ exchange, untilMs }) => exchange !== undefined && untilMs > nowMs);
  }
}
