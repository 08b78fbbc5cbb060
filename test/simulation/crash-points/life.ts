/** How the processes of a scenario live: how long the next one takes to start, what the table does meanwhile, and what is struck. */
import type { Fault } from "./point.ts";

export interface Life {
  /** The time from the death of a process to the start of the next one. */
  readonly downMs?: number;
  /** The process whose port calls are struck, counted from 0: the first, or the second if the scenario kills the first. */
  readonly examined?: number;
  /** True if the table, or the process that owns it, deletes items whose time to live is over. */
  readonly expires?: true;
  /** True if all expired items are gone when a process starts. */
  readonly vanishes?: true;
  /** The faults that strike; by default all that the scenario and the ownership allow. */
  readonly faults?: readonly Fault[];
  /** The time that a function has for a batch of messages; by default more than any batch needs. */
  readonly workedMs?: number;
  /** The first process that works on messages and sweeps; those before it only take requests. */
  readonly worksFrom?: number;
  /** How long each read of the sweeper's function takes, so that a pass cannot finish, and hands its work over as slices. */
  readonly lookMs?: number;
}
