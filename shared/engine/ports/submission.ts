/** What the doors hand to the desk, and what they get back: the shapes of the invocation use cases. */
import type { CodedError } from "../../core/errors/coded-error.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { Header } from "../../core/model/header.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import type { Failure, Result } from "../../core/model/failure.ts";
import type { Target } from "../../core/model/target.ts";

export interface Submission {
  readonly target: Target;
  readonly input: Uint8Array;
  /** As the handler will see them; credentials are dropped before they come here. */
  readonly headers: readonly Header[];
  readonly idempotencyKey?: string;
  /** W3C trace context of the request, kept with the invocation. */
  readonly traceparent?: string;
  /** The caller, as the door has authenticated it. */
  readonly createdBy?: string;
  /** Sends only: not before this moment. */
  readonly startAtMs?: number;
}

/** Why nothing was accepted. Faces turn it into their own words and statuses. */
export type SubmitRejection =
  | { readonly kind: "unknown-service" }
  | { readonly kind: "unknown-handler" }
  /** The deployment speaks only protocol versions that take nothing new: RT0020. */
  | { readonly kind: "deprecated"; readonly error: CodedError };

export interface Ended {
  readonly kind: "ended";
  readonly invocationId: InvocationId;
  readonly target: Target;
  readonly result: Result;
  /** Present where the answer comes from an invocation that had completed before it was asked for. */
  readonly expiresAtMs?: number;
}

export interface Sent {
  readonly kind: "sent";
  readonly invocationId: InvocationId;
  readonly status: "accepted" | "previously-accepted";
  /** When a delayed send starts; absent where it starts at once. */
  readonly executionTimeMs?: number;
}

/** `unknown`: there is no such invocation, or it has expired. `open`: it exists and has no result yet. */
export type Absent = { readonly kind: "unknown" } | { readonly kind: "open" };

export type PresentedStatus =
  | "scheduled"
  | "pending"
  | "ready"
  | "running"
  | "backing-off"
  | "suspended"
  | "paused"
  | "completed";

/** The act of an operator on an invocation; `by` names the operator, if one was authenticated. */
export interface OperatorAct {
  readonly kind: "cancel" | "kill" | "pause" | "resume" | "restart";
  readonly atMs: number;
  readonly by?: string;
}

export interface EntryView {
  readonly index: number;
  /** `Command: Run`, `Notification: Sleep`, ... as the reference's tables name them. */
  readonly type: string;
  readonly name?: string;
  /** Of a command about state or a promise: which one. */
  readonly key?: string;
  /** Of a call or a send. */
  readonly target?: string;
}

export interface QueueView {
  /** 1 is next. Those that ended while they waited count until they are passed over. */
  readonly place: number;
  /** Who has the key now. */
  readonly holderId?: InvocationId;
}

/** What `GET /invocations/{id}` shows. */
export interface InvocationView {
  readonly id: InvocationId;
  readonly target: Target;
  readonly status: PresentedStatus;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly idempotencyKey?: string;
  /** The caller from outside, if the door has authenticated one. */
  readonly createdBy?: string;
  readonly invokedBy?: { readonly invocationId: InvocationId; readonly target?: string };
  /** The invocation that an operator started anew as this one. */
  readonly restartedFrom?: InvocationId;
  /** The last act of an operator on the invocation. */
  readonly lastAct?: OperatorAct;
  readonly pinnedDeploymentId?: string;
  readonly protocolVersion?: number;
  /** Attempts started since the invocation last moved on. */
  readonly attempts: number;
  readonly nextRetryAtMs?: number;
  readonly wakeAtMs?: number;
  /** A deployment that took the running attempt and has sent nothing since this moment. */
  readonly silentSinceMs?: number;
  /** While it waits for its key. */
  readonly queue?: QueueView;
  readonly lastFailure?: AttemptFailure;
  readonly completedAtMs?: number;
  readonly failure?: Failure;
  readonly entries: readonly EntryView[];
  readonly events: readonly AttemptFailure[];
}

/** `done`: it has ended now. `noted`: the invocation will see it. */
export type Interruption = "done" | "noted" | "completed" | "unknown";

/** `done`: it does not run. `noted`: it will not be attempted again. `not-begun`: it is scheduled, or waits for its key. */
export type Pausing = "done" | "noted" | "not-begun" | "completed" | "unknown";

/** `open`: it has not ended. */
export type Purging = "done" | "open" | "unknown";

/**
 * `workflow`: its run is one for its key. `no-journal`: it is not kept any longer. `old-version`: journals of before V6
 * cannot be cut. `not-whole`: there is no such entry, or a command before it waits for its completion still.
 */
export type Restart =
  | { readonly kind: "restarted"; readonly invocationId: InvocationId }
  | "not-begun"
  | "open"
  | "unknown"
  | "workflow"
  | "no-journal"
  | "old-version"
  | "not-whole"
  | UnfitDeployment;

/** On which deployment an invocation goes on, or starts anew. */
export type DeploymentChoice =
  | { readonly kind: "keep" }
  | { readonly kind: "latest" }
  | { readonly kind: "id"; readonly deploymentId: DeploymentId };

/** Why a deployment cannot take over a journal. */
export type UnfitDeployment =
  /** `asked`: its id, or the service that none offers. */
  | { readonly kind: "unknown-deployment"; readonly asked: string }
  | {
      readonly kind: "wrong-version";
      readonly deploymentId: DeploymentId;
      /** Of the journal. */
      readonly version: number;
      readonly min: number;
      readonly max: number;
    };

/** `not-movable`: another deployment is only for what is suspended or paused and has stored something. */
export type Resumption = "done" | "not-begun" | "not-movable" | "completed" | "unknown" | UnfitDeployment;
