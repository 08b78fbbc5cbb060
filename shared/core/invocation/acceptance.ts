/** The acceptance of an invocation: everything that is fixed for its whole life. */
import type { Header } from "../model/header.ts";
import type { InvocationId, Nonce, ScheduleId, SubscriptionId } from "../model/ids.ts";
import type { LimitKey } from "../model/scope.ts";
import type { HandlerType, ServiceType, Target } from "../model/target.ts";

/** The origin of an invocation, which determines the recipient of its result. */
export type Source =
  | { readonly kind: "ingress" }
  /** A handler that waits: the result becomes the completion of its command. */
  | {
      readonly kind: "call";
      readonly callerId: InvocationId;
      readonly callerNonce: Nonce;
      readonly completionId: number;
      readonly callerTarget: string;
    }
  /** A handler that does not wait. */
  | { readonly kind: "send"; readonly callerId: InvocationId; readonly callerTarget: string }
  /** An operator restarted a completed invocation. */
  | { readonly kind: "restart"; readonly formerId: InvocationId }
  /** A record of a topic. */
  | { readonly kind: "subscription"; readonly subscriptionId: SubscriptionId }
  /** A run of a schedule, which gets the outcome. `run` names the run within the schedule. */
  | { readonly kind: "schedule"; readonly schedule: string; readonly scheduleId: ScheduleId; readonly run: string };

/** Moments that are fixed at the acceptance (`core/invocation/deadlines.ts`). */
export interface Deadlines {
  /** If no attempt has begun by this moment, the invocation ends. */
  readonly startByMs?: number;
  /** From this moment on, the invocation is cancelled. */
  readonly endByMs?: number;
  /** The time from that cancel to the kill; present with `endByMs`. */
  readonly endGraceMs?: number;
}

export interface Replaces {
  readonly id: InvocationId;
  /** The time from the cancel to the kill of one that has started; without it, one that has started goes on. */
  readonly graceMs?: number;
}

export interface Acceptance extends Deadlines {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly target: Target;
  /** As registered at the acceptance: a later revision must not change how the invocation runs. */
  readonly serviceType: ServiceType;
  readonly handlerType: HandlerType;
  readonly input: Uint8Array;
  readonly headers: readonly Header[];
  readonly source: Source;
  readonly createdAtMs: number;
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /** Only with a scope of the target: what the limits of the scope count the invocation for. */
  readonly limitKey?: LimitKey;
  /**
   * The external caller, as authenticated by the ingress; children inherit it from their parent, restarts from the
   * former invocation.
   */
  readonly createdBy?: string;
  /** 9 goes first, 0 last; absent if the request names none (`PRIORITY_DEFAULT`). */
  readonly priority?: number;
  /**
   * The place of the command in the caller's journal. Of those that a handler starts in one moment, the first is the first in line.
   * Present only if a limit may count the invocation.
   */
  readonly commandIndex?: number;
  /** The key of which one invocation at a time is the current one, and the id of the partition with the item that names it. */
  readonly singleton?: { readonly key: string; readonly place: string };
  /** The invocation that this one replaces under its singleton key. Its first driver ends that one before the first attempt. */
  readonly replaces?: Replaces;
  /** The earliest moment at which the first attempt may start. */
  readonly startAtMs?: number;
  /** How long the result is kept after the end; 0 drops it at once. */
  readonly completionRetentionMs: number;
  /** How long the journal is kept after the end, at most as long as the result. */
  readonly journalRetentionMs: number;
}

/** Identifies one call: the life of the caller, and the command that waits for the result. */
export type CallOrigin = Pick<Extract<Source, { kind: "call" }>, "callerId" | "callerNonce" | "completionId">;

/** True if this call created the invocation; false if the call found an existing one under a key. */
export function isMadeByCall({ source }: Pick<Acceptance, "source">, call: CallOrigin): boolean {
  return (
    source.kind === "call" &&
    source.callerId === call.callerId &&
    source.callerNonce === call.callerNonce &&
    source.completionId === call.completionId
  );
}

/**
 * True if no other life can begin under the same id: the id is random or derives from a command. An id that derives
 * from an idempotency key or from the key of a workflow becomes free when the result has expired.
 */
export function livesOnce({
  idempotencyKey,
  handlerType,
}: Pick<Acceptance, "idempotencyKey" | "handlerType">): boolean {
  return idempotencyKey === undefined && handlerType !== "workflow";
}

/** True for handlers that run one at a time per key and may change the state of the key: they take the lock first (I6). */
export function needsLock({ handlerType }: Pick<Acceptance, "handlerType">): boolean {
  return handlerType === "exclusive" || handlerType === "workflow";
}
