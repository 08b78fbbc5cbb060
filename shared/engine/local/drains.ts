/** Exchanges whose answer is complete and whose stream is still open: each gets a bounded time to end by itself. */
import type { Exchange } from "../ports/endpoints.ts";

/** An exchange that ends by itself leaves a reusable connection. After this time, `look` aborts the exchange. */
const DRAIN_MAX_MS = 5_000;

interface Drain {
  readonly untilMs: number;
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

  /** Aborts late exchanges, and forgets ended ones. An exchange is late, too, if the clock was set back since its answer. */
  look(nowMs: number): void {
    const isLate = ({ untilMs }: Drain): boolean => untilMs <= nowMs || untilMs > nowMs + DRAIN_MAX_MS;
    for (const drain of this.#open) if (isLate(drain)) drain.exchange?.abort();
    this.#open = this.#open.filter((drain) => drain.exchange !== undefined && !isLate(drain));
  }
}
