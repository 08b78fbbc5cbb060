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
  /** Not before this moment. */
  readonly startAtMs?: number;
  /** How long the result is kept after the end; 0 forgets it at once. */
  readonly completionRetentionMs: number;
  /** How long the journal is kept after the end, at most as long as the result. */
  readonly journalRetentionMs: number;
}

/** True for those that run one at a time and alone change the state of their key: they take its lock first (I6). */
export function needsLock({ handlerType }: Pick<Acceptance, "handlerType">): boolean {
  return handlerType === "exclusive" || handlerType === "workflow";
}
