/** Slots for long-running work: a lane may take a slot while it holds fewer than are free, so that no lane takes them all. */

/**
 * `share`: a lane may take a slot while it holds fewer slots than its share. A number: a lane may hold at most that many slots,
 * whether or not other lanes wait.
 */
export type LaneLimit = "share" | number;

export interface SlotsOptions {
  /** The most slots in use at a time. */
  readonly count: number;
  readonly perLane: LaneLimit;
  /** A lane's share is the free slots times this factor; 1 by default. */
  readonly shareFactor?: number;
}

interface Lane {
  readonly taken: number;
  /** The number of the last move of the lane: each take and each return of a slot is one move. */
  readonly lastMove: number;
}

export class Slots {
  readonly #options: SlotsOptions;
  readonly #lanes = new Map<string, Lane>();
  #taken = 0;
  #moves = 0;
  #wanted: number;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#wanted = options.count;
  }

  get taken(): number {
    return this.#taken;
  }

  /** The number of slots that may still be taken under the limit that `want` has set. */
  get free(): number {
    return Math.max(0, this.#wanted - this.#taken);
  }

  takenBy(lane: string): number {
    return this.#lanes.get(lane)?.taken ?? 0;
  }

  /** @returns a number that changes whenever the lane takes a slot or gives one back */
  lastMoveOf(lane: string): number {
    return this.#lanes.get(lane)?.lastMove ?? 0;
  }

  /**
   * Sets how many slots may be in use; the number is lower while the process is behind. A lane that has less than an equal
   * part of this number may take a slot even when the number is reached.
   */
  want(count: number): void {
    this.#wanted = Math.min(count, this.#options.count);
  }

  /** @returns false if the lane has its share, or all slots are in use */
  take(lane: string): boolean {
    const mine = this.takenBy(lane);
    if (this.#taken >= this.#options.count || !(this.#hasShare(mine) || this.#isBelowEvenPart(mine))) return false;
    this.#lanes.set(lane, { taken: mine + 1, lastMove: ++this.#moves });
    this.#taken++;
    return true;
  }

  /** Gives a slot back. */
  give(lane: string): void {
    const left = this.takenBy(lane) - 1;
    if (left > 0) this.#lanes.set(lane, { taken: left, lastMove: ++this.#moves });
    else this.#lanes.delete(lane);
    this.#taken--;
  }

  #hasShare(mine: number): boolean {
    const { perLane, shareFactor = 1 } = this.#options;
    return this.free > 0 && mine < (perLane === "share" ? shareFactor * this.free : perLane);
  }

  #isBelowEvenPart(mine: number): boolean {
    if (this.#wanted === this.#options.count) return false;
    const lanes = this.#lanes.size + (mine === 0 ? 1 : 0);
    return mine < Math.max(1, Math.floor(this.#wanted / (lanes + 1)));
  }
}
