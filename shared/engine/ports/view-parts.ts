/** Parts of the view of an invocation: the choice of its entries, the attempts that stored them, and the usage. */
import type { DeploymentId } from "../../core/model/ids.ts";
import type { CommandFacts } from "../../core/protocol/command-parts.ts";

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

export interface EntryView extends CommandFacts {
  readonly index: number;
  /** The name of the type in the tables of the reference server, such as `Command: Run` or `Notification: Sleep`. */
  readonly type: string;
  readonly name?: string;
  /** When this server received the command or learned of the notification. */
  readonly atMs: number;
  /** True if `atMs` is the moment at which the entry was stored, because the earlier moment of receipt is unknown. */
  readonly isReceiptUnknown?: true;
  /** Also on a notification that carries the id of an invocation. */
  readonly invocationId?: string;
  /** The index of the entry whose command a notification completes. */
  readonly completes?: number;
  /** Present on a notification that carries a failure. */
  readonly failed?: true;
  /** The payload of the entry, if the view was asked for values and the entry has one. */
  readonly value?: Uint8Array;
}
