/** Turns that lanes take in rotation: a limited amount of work runs at a time, and no lane waits for all the work of another. */

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
