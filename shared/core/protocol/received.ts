/** What one attempt gave: the entries it added, and how it ended. */
import type { Await } from "../model/await-tree.ts";
import type { Command } from "./command-messages.ts";

/** A command as it came; `frame` is what is stored (I9). */
export type ReceivedCommand = Command & { readonly kind: "command"; readonly type: number; readonly frame: Uint8Array };

/** A run's result; `frame` is the run completion made of it, an entry like any other. */
export interface ReceivedProposal {
  readonly kind: "proposal";
  readonly completionId: number;
  readonly failed: boolean;
  readonly frame: Uint8Array;
}

/** In the order in which they came, which is the order of replay. */
export type Received = ReceivedCommand | ReceivedProposal;

export interface RelatedCommand {
  /** Counts commands only, from 0, the input; may be one past the last that is stored. */
  readonly commandIndex?: number;
  readonly commandName?: string;
  readonly commandType?: number;
}

export interface AttemptError {
  readonly kind: "error";
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly related: RelatedCommand;
  /** Overrides one delay of the retry policy. */
  readonly nextRetryDelayMs?: number;
  readonly behavior: "retry" | "pause" | "fail";
}

export type ReplyEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | AttemptError
  /** The deployment broke the protocol; what came before is kept. */
  | { readonly kind: "violation"; readonly message: string }
  /** A message above the limit (RT0003); what came before is kept. */
  | { readonly kind: "too-large"; readonly sizeBytes: number; readonly limitBytes: number }
  /** The response stopped without a terminator. */
  | { readonly kind: "cut"; readonly message: string };

export interface AttemptReply {
  readonly received: readonly Received[];
  readonly ending: ReplyEnd;
}
