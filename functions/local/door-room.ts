/** Room for bytes that a door holds in memory: connections share it, and what stands still makes way where others wait. */
import type { Account, Budget } from "../../shared/engine/bulkheads/budget.ts";
import type { Incoming } from "./incoming.ts";

/** Bodies and answers up to this size are not counted, so that plain calls pay nothing. */
export const UNCOUNTED_BYTES = 16 * 1024;

/** How long a body or an answer may stand still while others wait for room. */
const STILL_MAX_MS = 10_000;
/** How often those that stand still are looked for while somebody waits. */
const LOOK_EVERY_MS = 500;

export class DoorRoom {
  readonly budget: Budget;
  readonly #stillMaxMs: number;
  readonly #lanes = new WeakMap<object, string>();
  readonly #movers = new Set<Mover>();
  #lanesSoFar = 0;
  #looking: NodeJS.Timeout | undefined;

  /** @param stillMaxMs 10 seconds unless given */
  constructor(budget: Budget, stillMaxMs = STILL_MAX_MS) {
    this.budget = budget;
    this.#stillMaxMs = stillMaxMs;
  }

  /**
   * A lane is a connection, and not an address: behind a proxy, and on this machine, everybody comes from one address. Two hundred
   * streams of one connection are one lane.
   */
  open(incoming: Incoming): Account {
    const connection = ("stream" in incoming ? incoming.stream.session : incoming.socket) ?? incoming;
    const lane = this.#lanes.get(connection) ?? String((this.#lanesSoFar += 1));
    this.#lanes.set(connection, lane);
    return this.budget.open(lane);
  }

  /** @param sizeBytes what the account is to hold in all @returns true where there is room at once; else whether room came in time */
  fill(account: Account, sizeBytes: number): true | Promise<boolean> {
    const grown = account.grow(sizeBytes - account.held);
    if (grown !== true && this.#looking === undefined) {
      this.#looking = setInterval(() => this.#look(), Math.min(LOOK_EVERY_MS, this.#stillMaxMs)).unref();
    }
    return grown;
  }

  /** @param cut ends what holds room and stands still */
  mover(cut: () => void): Mover {
    const mover = new Mover(cut, (over) => this.#movers.delete(over));
    this.#movers.add(mover);
    return mover;
  }

  #look(): void {
    if (this.budget.waiting === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
      return;
    }
    const latestMs = performance.now() - this.#stillMaxMs;
    for (const mover of this.#movers) if (mover.movedAtMs <= latestMs) mover.cut();
  }
}

/** What has to move on while others wait: a body by its sender, an answer by its reader. */
export class Mover {
  /** Infinity while it is this process that it waits for. */
  movedAtMs = performance.now();
  readonly cut: () => void;
  readonly #end: (mover: Mover) => void;

  constructor(cut: () => void, end: (mover: Mover) => void) {
    this.cut = cut;
    this.#end = end;
  }

  moved(): void {
    this.movedAtMs = performance.now();
  }

  rest(): void {
    this.movedAtMs = Infinity;
  }

  /** Nothing has to move any more. */
  end(): void {
    this.#end(this);
  }
}
