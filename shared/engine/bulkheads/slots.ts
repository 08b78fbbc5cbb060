/** Slots for work that takes its time: a lane may take as many as are left free, so that no lane takes them all. */

/** `share`: as many as are free. A number: so many and no more, others waiting or not. */
export type LaneLimit = "share" | number;

export interface SlotsOptions {
  /** The most slots that are taken at a time. */
  readonly count: number;
  readonly perLane: LaneLimit;
  /** A lane's share is so many times what is free; once, unless given. */
  readonly shareFactor?: number;
}

export class Slots {
  readonly #options: SlotsOptions;
  readonly #lanes = new Map<string, number>();
  #taken = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return Math.max(0, this.#options.count - this.#taken);
  }

  takenBy(lane: string): number {
    return this.#lanes.get(lane) ?? 0;
  }

  /** @returns false where the lane has its share, or where all slots are taken */
  take(lane: string): boolean {
    const mine = this.takenBy(lane);
    const { perLane, shareFactor = 1 } = this.#options;
    if (this.free === 0 || mine >= (perLane === "share" ? shareFactor * this.free : perLane)) return false;
    this.#lanes.set(lane, mine + 1);
    this.#taken++;
    return true;
  }

  /** Gives back a slot that was taken. */
  give(lane: string): void {
    const left = this.takenBy(lane) - 1;
    if (left > 0) this.#lanes.set(lane, left);
    else this.#lanes.delete(lane);
    this.#taken--;
  }
}
