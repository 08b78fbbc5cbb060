/** What the ingress asks of the engine, as one record that the composition root fills. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Absent, Ended, SubmitRejection, Sent, Submission } from "../../engine/ports/submission.ts";

export interface IngressUseCases {
  /** Accepts and waits for the result, as long as the caller does; the invocation goes on without one too. */
  call(engine: Engine, submission: Submission, signal?: AbortSignal): Promise<Ended | SubmitRejection>;
  /** Accepts; the answer comes as soon as that is durable. */
  send(engine: Engine, submission: Submission): Promise<Sent | SubmitRejection>;
  /** Waits for the result of an invocation that is there already. */
  attach(engine: Engine, id: InvocationId, signal?: AbortSignal): Promise<Ended | { readonly kind: "unknown" }>;
  /** The result, where there is one now. */
  output(engine: Engine, id: InvocationId): Promise<Ended | Absent>;
  /** The id that a target and an idempotency key always lead to; computed, nothing is looked up (I7). */
  idempotentId(target: Target, idempotencyKey: string): InvocationId;
  /** The id of the run of a workflow, whether or not it has been submitted. */
  workflowId(service: string, key: string): InvocationId;
  /** Completes an awakeable. Harmless where the invocation is unknown or ended, or the awakeable completed already. */
  resolveAwakeable(engine: Engine, awakeableId: string, result: Result): Promise<void>;
}
