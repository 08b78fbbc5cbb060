/** Bounds the memory of one listener: its connections share the room, and a stalled transfer gives way to transfers that wait. */
import type { Account, Budget } from "../../shared/engine/bulkheads/budget.ts";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Ends } from "../door/peer-user.ts";

/** How long a body or an answer may stall while other transfers wait for room. */
const STILL_MAX_MS = 10_000;
/** The interval of checks for stalled transfers while another transfer waits. */
const LOOK_EVERY_MS = 500;

export class TransferRoom {
  readonly budget: Budget;
  readonly #stillMaxMs: number;
  readonly #lanes = new WeakMap<object, string>();
  readonly #movers = new Set<Mover>();
  #lanesSoFar = 0;
  #looking: NodeJS.Timeout | undefined;

  /** @param stillMaxMs 10 seconds by default */
  constructor(budget: Budget, stillMaxMs = STILL_MAX_MS) {
    this.budget = budget;
    this.#stillMaxMs = stillMaxMs;
  }

  /**
   * A lane is a connection, not an address: behind a proxy, and on this machine, all clients share one address. All
   * streams of an HTTP/2 connection are one lane.
   */
  open(incoming: Incoming): Account {
    const connection = ("stream" in incoming ? incoming.stream.session : incoming.socket) ?? incoming;
    const lane = this.#lanes.get(connection) ?? String((this.#lanesSoFar += 1));
    this.#lanes.set(connection, lane);
    return this.budget.open(lane);
  }

  /**
   * @param sizeBytes the new total of the account
   * @returns true if there is room at once; otherwise a promise of whether room became free in time
   */
  fill(account: Account, sizeBytes: number): true | Promise<boolean> {
    const grown = account.grow(sizeBytes - account.held);
    if (grown !== true && this.#looking === undefined) {
      this.#looking = setInterval(() => this.#look(), Math.min(LOOK_EVERY_MS, this.#stillMaxMs)).unref();
    }
    return grown;
  }

  /** @param cut the function that ends a stalled transfer that holds room */
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

/** A transfer that must progress while others wait: a body from its sender, or an answer to its reader. */
export class Mover {
  /** Infinity while the transfer waits for this process. */
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

  /** The transfer has ended. */
  end(): void {
    this.#end(this);
  }
}

export type Incoming = IncomingMessage | Http2ServerRequest;

/** The ends of the connection of a request; empty once the connection is gone. */
export function endsOf(incoming: Incoming): Ends {
  return ("stream" in incoming ? incoming.stream.session?.socket : incoming.socket) ?? {};
}
