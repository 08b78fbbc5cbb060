/** The part of a driver that an exchange needs while it stays open. */
import type { AttemptGrew } from "../../core/invocation/event.ts";

export interface Growth {
  /** Makes the entries durable, then performs their effects (I2). @returns false if the lease is lost */
  add(grew: AttemptGrew): Promise<boolean>;
  /** Reads the arrivals that other parties may have written. */
  look(): Promise<void>;
  /** Wakes the invocations whose results the handler may await, and that no driver of this process drives. */
  wake(): Promise<void>;
  /** `large`: a driver that waits must not keep the journal for long. `outgrown`: the invocation must be loaded again. */
  size(): "small" | "large" | "outgrown";
}
