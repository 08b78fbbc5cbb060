/**
 * The pace of long loops over untrusted input: together they run for some milliseconds, then timers and sockets get their turn.
 */
import type { Clock } from "../ports/clock.ts";
import { FairTurns } from "./fair-turns.ts";

const RUN_MAX_MS = 8;
const BREAK_MS = 1;

/**
 * One thread serves all services: 500 replies that arrive together would block it for seconds, though each takes only a moment.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #turns = new FairTurns(1);
  /** When the current run began; undefined once timers have had their turn. */
  #runningSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined while the loops of this process may go on; else a promise that resolves when the lane may go on */
  step(lane: string): undefined | Promise<void> {
    if (this.#runningSinceMs === undefined) void this.#run();
    else if (Math.abs(this.#clock.nowMs() - this.#runningSinceMs) >= RUN_MAX_MS)
      return this.#turns.take(lane, () => this.#break());
    return undefined;
  }

  async #break(): Promise<void> {
    await this.#clock.sleep(BREAK_MS);
  }

  /** A timer fires only when no loop blocks the thread, so this timer marks the end of the run. */
  async #run(): Promise<void> {
    this.#runningSinceMs = this.#clock.nowMs();
    await this.#clock.sleep(BREAK_MS);
    this.#runningSinceMs = undefined;
  }
}
