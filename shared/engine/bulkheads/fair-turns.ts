/** Turns that lanes take in rotation: for a limited amount of work at a time, and for the one thread that loops share. */
import type { Clock } from "../ports/clock.ts";

interface Lane {
  readonly name: string;
  readonly waiting: (() => void)[];
  /** The index of the next work; earlier entries have run. */
  next: number;
}

export class FairTurns {
  #free: number;
  /** Lanes with waiting work, the next lane first. */
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Runs the work in the lane's turn. */
  async take<T>(lane: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turnOf(lane);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #turnOf(name: string): Promise<void> {
    const lane = this.#lanes.get(name) ?? { name, waiting: [], next: 0 };
    this.#lanes.set(name, lane);
    this.#waiting++;
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  #passOn(): void {
    const lane = this.#lanes.values().next().value;
    if (lane === undefined) {
      this.#free++;
      return;
    }
    this.#lanes.delete(lane.name);
    const go = lane.waiting[lane.next++]!;
    if (lane.next < lane.waiting.length) this.#lanes.set(lane.name, lane);
    this.#waiting--;
    go();
  }
}

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
