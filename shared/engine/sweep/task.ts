/** The shape of a task of the sweeper. The tasks of a pass take turns. */
import type { IndexPosition, Stretch } from "../store/index-walk.ts";
import type { Looking } from "./open-check.ts";
import type { Saved } from "./progress.ts";
import type { Walk } from "./walks.ts";

/** One pass, which aims to finish the work that existed when it began. */
export interface Pass extends Looking {
  readonly nowMs: number;
  /** The end of the listing for this pass. Entries beyond it are still too young. */
  readonly listedBelow: IndexPosition;
}

/** The rest of a walk, for workers to continue. */
export interface Rest {
  readonly walk: Walk;
  readonly stretch: Stretch;
  /** The state to save once the rest is handed over. */
  readonly saved: Saved;
}

export interface Task {
  readonly isLeft: (saved: Saved, pass: Pass) => boolean;
  /** Called only if work is left. Continues until time is over, and visits at least one entry. */
  readonly goOn: (saved: Saved, pass: Pass, isOver: () => boolean) => Promise<Saved>;
  /** Called only if work is left. */
  readonly rest: (saved: Saved, pass: Pass) => Rest;
}
