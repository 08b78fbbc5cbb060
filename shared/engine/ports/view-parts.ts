/** Parts of the view of an invocation: the choice of its entries, the attempts that stored them, and the usage. */
import type { DeploymentId } from "../../core/model/ids.ts";

/** The choice of the entries that a view contains, with or without their values. */
export interface EntryChoice {
  /** True if the entries contain their values. */
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

/** The usage of the invocation so far. The numbers of write units and exchanges are lower bounds. */
export interface UsageView {
  readonly items: number;
  readonly bytes: number;
  readonly writeUnits: number;
  readonly exchanges: number;
  /** The time of those exchanges whose beginning is stored. */
  readonly exchangeMs: number;
}
