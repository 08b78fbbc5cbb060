/** The parts of an invocation that its effects need. A driver has these parts; a recovery makes them from a load. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { Inbox } from "../local/inbox.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import { LockHandle } from "../local/lock-handle.ts";
import type { Loaded } from "../store/load.ts";

export interface Performer {
  readonly invocation: Invocation;
  /**
   * Effects add their results here. A driver lists the results in its next segment; a recovery uses the inbox only to skip
   * effects that were answered already.
   */
  readonly inbox: Inbox;
  readonly lock: LockHandle;
  readonly lease: LeaseHandle;
}

/** One performance of the effects of a segment. */
export interface Performance {
  readonly by: Performer;
  /** The driver, which may drive calls along; absent in a recovery. */
  readonly driver: ActiveInvocation | undefined;
  /** In a redo, the moment of the segment's write: since then, effects may have been performed and targets may have expired. */
  readonly redoOfMs: number | undefined;
}

/** Makes the parts for work on an invocation without a driver. They contain what the load has found. */
export function performerOf({ invocation, arrivals, left, lease, leaseRecord }: Loaded): Performer {
  return {
    invocation,
    inbox: new Inbox(arrivals, left, true),
    lock: new LockHandle(),
    lease: new LeaseHandle(lease, leaseRecord),
  };
}
