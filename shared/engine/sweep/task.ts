/** One of the things that a pass of the sweeper has to do, which it does for a while at a time. */
import type { Engine } from "../engine.ts";
import type { Place } from "../ledger/index-walk.ts";
import type { Tally } from "./driverless.ts";
import type { Saved } from "./progress.ts";

/** One pass: it wants to come to the end of all that was there when it began. */
export interface Pass {
  readonly engine: Engine;
  readonly nowMs: number;
  /** Where the listing ends for it. */
  readonly listedBelow: Place;
  readonly tally: Tally;
}

export interface Task {
  readonly isLeft: (saved: Saved, pass: Pass) => boolean;
  /** Only where something is left. Goes on until time is over, and comes past one entry at least. */
  readonly goOn: (saved: Saved, pass: Pass, isOver: () => boolean) => Promise<Saved>;
}
