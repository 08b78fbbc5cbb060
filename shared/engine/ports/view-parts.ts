/** Parts of the view of an invocation: which entries it contains, the attempts that stored them, and what storing took. */
import type { DeploymentId } from "../../core/model/ids.ts";

/** Which entries a view contains, and with what. */
export interface EntryChoice {
  /** The entries contain their values. */
  readonly withValues?: boolean;
  /** The index of the first entry; 0 by default. */
  readonly from?: number;
  /** The most entries; all by default. */
  readonly limit?: number;
}

/** An attempt that stored entries, or ended the invocation. */
export interface AttemptView {
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The index of the first entry that the attempt stored. */
  readonly fromEntry: number;
  readonly deploymentId?: DeploymentId;
}

/** What the invocation takes in the table. The numbers of writes and of exchanges are lower bounds. */
export interface UsageView {
  readonly items: number;
  readonly bytes: number;
  readonly writeUnits: number;
  readonly exchanges: number;
  /** The time of those exchanges whose beginning is stored. */
  readonly exchangeMs: number;
}
