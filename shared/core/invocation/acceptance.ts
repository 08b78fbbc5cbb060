/** What an invocation was accepted with: everything that is fixed for its whole life. */
import type { Header } from "../model/header.ts";
import type { InvocationId, Nonce } from "../model/ids.ts";
import type { HandlerType, ServiceType, Target } from "../model/target.ts";

/** Who asked, and therefore who is to be told of the result. */
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
  /** An operator, after an invocation that had ended. */
  | { readonly kind: "restart"; readonly formerId: InvocationId };

export interface Acceptance {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly target: Target;
  /** As registered when it was accepted: a later revision may not change what an invocation is. */
  readonly serviceType: ServiceType;
  readonly handlerType: HandlerType;
  readonly input: Uint8Array;
  readonly headers: readonly Header[];
  readonly source: Source;
  readonly createdAtMs: number;
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /** The caller from outside, as the door has authenticated it; children inherit it from their parent, restarts from the former invocation. */
  readonly createdBy?: string;
  /** Not before this moment. */
  readonly startAtMs?: number;
  /** How long the result is kept after the end; 0 forgets it at once. */
  readonly completionRetentionMs: number;
  /** How long the journal is kept after the end, at most as long as the result. */
  readonly journalRetentionMs: number;
}

/** One call among all there are: the life that made it, and the command that waits for its result. */
export type CallOrigin = Pick<Extract<Source, { kind: "call" }>, "callerId" | "callerNonce" | "completionId">;

/** True where the invocation was made by this very call, and not met by it under a key. */
export function isMadeByCall({ source }: Pick<Acceptance, "source">, call: CallOrigin): boolean {
  return (
    source.kind === "call" &&
    source.callerId === call.callerId &&
    source.callerNonce === call.callerNonce &&
    source.completionId === call.completionId
  );
}

/**
 * True where no other life can begin under the same id: the id is random or follows from a command. An id that follows
 * from an idempotency key, or from the key of a workflow, is free again once the result has expired.
 */
export function livesOnce({
  idempotencyKey,
  handlerType,
}: Pick<Acceptance, "idempotencyKey" | "handlerType">): boolean {
  return idempotencyKey === undefined && handlerType !== "workflow";
}

/** True for those that run one at a time and alone change the state of their key: they take its lock first (I6). */
export function needsLock({ handlerType }: Pick<Acceptance, "handlerType">): boolean {
  return handlerType === "exclusive" || handlerType === "workflow";
}
