/**
 * The exchanges of this process that stay open: which handlers are known not to need them, and which exchanges only
 * wait.
 */
import { EarlyAnswers } from "./early-answers.ts";
import type { OpenExchange } from "./open-attempt.ts";

/** The most handlers that are remembered. A full set is cleared as a whole. */
const REMEMBERED_MAX = 10_000;
/** The most exchanges that wait at a time; the one that has waited longest makes room. */
const WAITING_MAX = 10_000;
/** A stream without a message for this long counts as waiting for something outside, and may make room for others. */
const IDLE_MS = 1_000;

export class OpenStreams {
  readonly earlyAnswers = new EarlyAnswers();
  readonly #waitingMax: number;
  readonly #quiet = new Set<string>();
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<OpenExchange>();
  /** True while a worker has messages and no slot for them. */
  areSlotsWanted = false;

  constructor(waitingMax = WAITING_MAX) {
    this.#waitingMax = waitingMax;
  }

  /** The number of exchanges that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** True if the handler awaited nothing when it last ran to its end in one attempt. */
  isQuiet(handler: string): boolean {
    return this.#quiet.has(handler);
  }

  noteQuiet(handler: string, isQuiet: boolean): void {
    if (!isQuiet) {
      this.#quiet.delete(handler);
      return;
    }
    if (this.#quiet.size >= REMEMBERED_MAX) this.#quiet.clear();
    this.#quiet.add(handler);
  }

  beginWait(exchange: OpenExchange): void {
    exchange.waits = true;
    this.#waiting.add(exchange);
    if (this.#waiting.size > this.#waitingMax) for (const oldest of this.#waiting) return oldest.halfClose?.();
  }

  endWait(exchange: OpenExchange): void {
    exchange.waits = false;
    this.#waiting.delete(exchange);
  }

  /**
   * Half-closes exchanges that began to wait first. Their handlers suspend, and their invocations are parked.
   * @param isMeant true for the exchanges that may make room
   * @returns the number of exchanges that were half-closed
   */
  shed(nowMs: number, count: number, isMeant: (exchange: OpenExchange) => boolean): number {
    let shed = 0;
    for (const exchange of this.#waiting) {
      if (shed >= count) break;
      if (nowMs - exchange.heardAtMs < IDLE_MS || exchange.halfClose === undefined || !isMeant(exchange)) continue;
      shed++;
      exchange.halfClose();
    }
    return shed;
  }
}
