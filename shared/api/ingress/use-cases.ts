/** The engine's use cases for the ingress, as one record that the composition root fills. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Absent, Ended, SubmitRejection, Sent, Submission } from "../../engine/ports/submission.ts";

export interface IngressUseCases {
  /**
   * Accepts an invocation and waits for the result until the signal aborts; the invocation continues without a waiting
   * caller.
   */
  call(engine: Engine, submission: Submission, signal?: AbortSignal): Promise<Ended | SubmitRejection>;
  /** Accepts an invocation and returns as soon as the acceptance is durable. */
  send(engine: Engine, submission: Submission): Promise<Sent | SubmitRejection>;
  /** Waits for the result of an existing invocation. */
  attach(engine: Engine, id: InvocationId, signal?: AbortSignal): Promise<Ended | { readonly kind: "unknown" }>;
  /** The result, if there is one now. */
  output(engine: Engine, id: InvocationId): Promise<Ended | Absent>;
  /** The id for a target and an idempotency key; computed without a lookup (I7). */
  idempotentId(target: Target, idempotencyKey: string): InvocationId;
  /** The id of a workflow's run, submitted or not. */
  workflowId(service: string, key: string): InvocationId;
  /** Completes an awakeable. Has no effect if the invocation is unknown or completed, or the awakeable is already completed. */
  resolveAwakeable(engine: Engine, awakeableId: string, result: Result): Promise<void>;
}
