/** The inputs and results of the use cases of invocations. */
import type { WaitKind } from "../../core/query/wait-kinds.ts";
import type { WayOut } from "../../core/invocation/ways-out.ts";
import type { CodedError } from "../../core/errors/coded-error.ts";
import type { EndOutcome } from "../../core/invocation/end-outcome.ts";
import type { FailureRun } from "../../core/invocation/repeats.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { Header } from "../../core/model/header.ts";
import type { DeploymentId, InvocationId, SubscriptionId } from "../../core/model/ids.ts";
import type { Failure, Result } from "../../core/model/failure.ts";
import type { RequestOptions } from "../../core/model/request-options.ts";
import type { LimitKey } from "../../core/model/scope.ts";
import type { Target } from "../../core/model/target.ts";
import type { Presented } from "../../core/query/status-words.ts";
import type { FoundRoute } from "./registry.ts";
import type { CommandFacts } from "../../core/protocol/command-parts.ts";

export interface Submission {
  readonly target: Target;
  /** The route to the target, if the sender has looked it up: the acceptance then uses the route that the sender checked. */
  readonly routing?: FoundRoute;
  readonly input: Uint8Array;
  /** The headers that the handler receives; the caller of the use case has removed credentials. */
  readonly headers: readonly Header[];
  readonly idempotencyKey?: string;
  /** Only with a scope of the target. */
  readonly limitKey?: LimitKey;
  /** W3C trace context of the request, kept with the invocation. */
  readonly traceparent?: string;
  /** The external caller, as authenticated by the ingress. */
  readonly createdBy?: string;
  /** The id of a request with an idempotency key, if it does not follow from target and key alone. */
  readonly boundId?: InvocationId;
  /** The moment before which a send does not start; for sends only. */
  readonly startAtMs?: number;
  readonly options?: RequestOptions;
  /** The principal to whom a singleton key belongs, where callers are bound. */
  readonly singletonOwner?: string;
}

/** Why an invocation was not accepted. The APIs translate each kind into a message and a status. */
export type SubmitRejection =
  | { readonly kind: "unknown-service" }
  | { readonly kind: "unknown-handler" }
  /** Another invocation is the current one of the singleton key (RT0912). */
  | { readonly kind: "held"; readonly by: InvocationId }
  /** The deployment speaks only versions that take no new work (RT0020). */
  | { readonly kind: "deprecated"; readonly error: CodedError };

export interface Ended {
  readonly kind: "ended";
  readonly invocationId: InvocationId;
  readonly target: Target;
  readonly result: Result;
  /** Present if the invocation had completed before this request. */
  readonly expiresAtMs?: number;
}

export interface Sent {
  readonly kind: "sent";
  readonly invocationId: InvocationId;
  readonly status: "accepted" | "previously-accepted";
  /** When a delayed send starts; absent if the send starts at once. */
  readonly executionTimeMs?: number;
}

/** `unknown`: the invocation does not exist or has expired. `open`: it has no result yet. */
export type Absent = { readonly kind: "unknown" } | { readonly kind: "open" };

/** The act of an operator on an invocation; `by` names the operator, if one was authenticated. */
export interface OperatorAct {
  readonly kind: "cancel" | "kill" | "pause" | "resume" | "restart";
  readonly atMs: number;
  readonly by?: string;
}

export interface QueueView {
  /**
   * The place in the queue; 1 is next. Invocations that ended while they waited count until the queue passes over their
   * tickets.
   */
  readonly place: number;
  /** The invocation that holds the key. */
  readonly holderId?: InvocationId;
}

/** One thing that an open invocation waits for; which members a wait has depends on its kind. */
export interface WaitView {
  readonly kind: WaitKind;
  /** When the command was stored; without a command, when the invocation came into its phase. */
  readonly sinceMs: number;
  /** When the wait ends by itself. */
  readonly untilMs?: number;
  readonly attempt?: number;
  readonly failure?: AttemptFailure;
  readonly deploymentId?: string;
  /** Since when the deployment of the running attempt has sent nothing. */
  readonly silentSinceMs?: number;
  /** The step that the running attempt executes, with the number of other steps beside it. */
  readonly step?: { readonly name: string; readonly sinceMs: number; readonly others: number };
  /** The place in the queue of the key, or in the line of the pool; 1 is next. */
  readonly place?: number;
  /** Those who wait in the line of the pool. */
  readonly waiting?: number;
  /** Since when the oldest of them waits. */
  readonly oldestSinceMs?: number;
  /** The places of the pool, and how many are taken. */
  readonly places?: number;
  readonly taken?: number;
  /** The id by which another party completes the awakeable. */
  readonly awakeableId?: string;
  /** The name of a pool, a promise, a signal or a run; the index of a signal without a name. */
  readonly name?: string;
  /** The type of the command, for a wait of the kind `command`. */
  readonly type?: string;
  /** The target of `invocationId`, or the workflow of a promise. */
  readonly target?: string;
  /** The invocation that has to end first: the called one, the attached one, or the holder of the key. */
  readonly invocationId?: InvocationId;
  /** The status of `invocationId`; absent if it was not read or does not exist. */
  readonly status?: Presented;
  /** What `invocationId` waits for. */
  readonly waitsFor?: readonly WaitView[];
}

/**
 * Why an invocation is paused. `order`: an operator ordered it. `failure`: a failure after which no attempt follows, mostly
 * because the retry policy allows no more. `process-ends`: it ended processes, or its messages failed again and again.
 */
export interface PauseView {
  readonly reason: "order" | "failure" | "process-ends";
  readonly atMs: number;
  /** The operator who gave the order, if one was authenticated. */
  readonly by?: string;
  readonly failure?: AttemptFailure;
}

/**
 * One side of a journal mismatch: a deployment and, if it is still registered, its address and its current revision of the
 * service.
 */
export interface MismatchSide {
  readonly deploymentId: DeploymentId;
  readonly revision?: number;
  readonly address?: string;
}

/** Commands of the journal beside those of the current code, around the first difference (RT0016). */
export interface MismatchView {
  /** The index of the entry that differs. */
  readonly entry: number;
  /**
   * `offered` is absent after the difference, because the code did not get that far; `recorded` is absent after the end
   * of the journal.
   */
  readonly rows: readonly { readonly entry: number; readonly recorded?: string; readonly offered?: string }[];
  /**
   * Which deployment recorded the differing entry, and when; absent if the journal has no such entry, or the deployment
   * is unknown.
   */
  readonly journal?: MismatchSide & { readonly atMs: number };
  readonly code: MismatchSide;
  readonly waysOut: readonly WayOut[];
}

/** The answer of `GET /invocations/{id}`. */
export interface InvocationView {
  readonly id: InvocationId;
  readonly target: Target;
  readonly status: Presented;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly idempotencyKey?: string;
  readonly limitKey?: LimitKey;
  /** The external caller, if the ingress authenticated one. */
  readonly createdBy?: string;
  /** Absent if the request named none. */
  readonly priority?: number;
  readonly startByMs?: number;
  readonly endByMs?: number;
  readonly singletonKey?: string;
  readonly invokedBy?: { readonly invocationId: InvocationId; readonly target?: string };
  /** The subscription whose record caused the invocation. */
  readonly subscriptionId?: SubscriptionId;
  /** The name of the schedule whose run the invocation is. */
  readonly schedule?: string;
  /** The former invocation, if this one is an operator's restart of it. */
  readonly restartedFrom?: InvocationId;
  /** The last act of an operator on the invocation. */
  readonly lastAct?: OperatorAct;
  readonly pinnedDeploymentId?: string;
  readonly protocolVersion?: number;
  /** Attempts started since the invocation last advanced. */
  readonly attempts: number;
  readonly nextRetryAtMs?: number;
  readonly wakeAtMs?: number;
  /** Since when a deployment that accepted the running attempt has sent nothing. */
  readonly silentSinceMs?: number;
  /** Present while the invocation waits for its key. */
  readonly queue?: QueueView;
  /** Present for an open invocation. */
  readonly waitsFor?: readonly WaitView[];
  /** Present for a paused invocation. */
  readonly pause?: PauseView;
  /** Where the invocation runs, or where its next attempt goes. */
  readonly deployment?: { readonly id: DeploymentId; readonly address?: string };
  readonly lastFailure?: AttemptFailure;
  /** Present for an open invocation whose last failure is a journal mismatch. */
  readonly mismatch?: MismatchView;
  readonly completedAtMs?: number;
  /** How a completed invocation ended. */
  readonly outcome?: EndOutcome;
  readonly failure?: Failure;
  /** How long result and journal are kept after the end. */
  readonly completionRetentionMs: number;
  readonly journalRetentionMs: number;
  /** The W3C trace context of the request that created the invocation. */
  readonly traceparent?: string;
  /** The number of entries of the whole journal; `entries` may contain only some of them. */
  readonly entryCount: number;
  readonly entries: readonly EntryView[];
  readonly attemptsStored: readonly AttemptView[];
  /** The failed attempts, of which each counts in `times`. */
  readonly events: readonly FailureRun[];
  /** Absent once the journal is dropped, because the items are gone then. */
  readonly usage?: UsageView;
}

/** `done`: the invocation has ended. `noted`: it ends or is cancelled when a driver reads the arrival. */
export type Interruption = "done" | "noted" | "completed" | "unknown";

/**
 * `done`: the invocation is paused. `noted`: it is paused once a driver reads the order; a running attempt ends first.
 */
export type Pausing = "done" | "noted" | "completed" | "unknown";

/** `open`: the invocation has not ended. */
export type Purging = "done" | "open" | "unknown";

/**
 * `workflow`: the invocation is a run of a workflow, and each key has only one run. `no-journal`: the journal is no longer
 * kept. `input-only`: no attempt stored an entry, so there is nothing to keep but the input. `old-version`: a restart cannot keep
 * only a part of a journal older than V6. `not-whole`: the last entry that the restart
 * is to keep does not exist, or a command that it is to keep still waits for its completion.
 */
export type Restart =
  | { readonly kind: "restarted"; readonly invocationId: InvocationId }
  | "not-begun"
  | "open"
  | "unknown"
  | "workflow"
  | "no-journal"
  | "input-only"
  | "old-version"
  | "not-whole"
  | UnfitDeployment;

/** The deployment on which an invocation resumes or restarts. */
export type DeploymentChoice =
  | { readonly kind: "keep" }
  | { readonly kind: "latest" }
  | { readonly kind: "id"; readonly deploymentId: DeploymentId };

/** Why a deployment cannot take over a journal. */
export type UnfitDeployment =
  /** `asked`: the requested deployment id, or the service that no deployment offers. */
  | { readonly kind: "unknown-deployment"; readonly asked: string }
  | {
      readonly kind: "wrong-version";
      readonly deploymentId: DeploymentId;
      /** The protocol version of the journal. */
      readonly version: number;
      readonly min: number;
      readonly max: number;
    }
  /** The deployment speaks no protocol version of this server. */
  | { readonly kind: "no-version"; readonly deploymentId: DeploymentId; readonly min: number; readonly max: number };

/**
 * `not-movable`: an attempt is under way, or about to begin, so the invocation cannot move to another deployment now. After an
 * order to pause it can.
 */
export type Resumption = "done" | "not-begun" | "not-movable" | "completed" | "unknown" | UnfitDeployment;

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

/** Parts of the view of an invocation: the choice of its entries, the attempts that stored them, and the usage. */
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
