/** One of the things that a pass of the sweeper has to do, which it does for a while at a time. */
import type { Place, Stretch } from "../ledger/index-walk.ts";
import type { Looking } from "./open-look.ts";
import type { Saved } from "./progress.ts";
import type { Walk } from "./walks.ts";

/** One pass: it wants to come to the end of all that was there when it began. */
export interface Pass extends Looking {
  readonly nowMs: number;
  /** Where the listing ends for it. */
  readonly listedBelow: Place;
}

/** What is left of a walk, for others to go on with. */
export interface Rest {
  readonly walk: Walk;
  readonly stretch: Stretch;
  /** What is true once others have it. */
  readonly saved: Saved;
}

export interface Task {
  readonly isLeft: (saved: Saved, pass: Pass) => boolean;
  /** Only where something is left. Goes on until time is over, and comes past one entry at least. */
  readonly goOn: (saved: Saved, pass: Pass, isOver: () => boolean) => Promise<Saved>;
  /** Only where something is left. */
  readonly rest: (saved: Saved, pass: Pass) => Rest;
}
