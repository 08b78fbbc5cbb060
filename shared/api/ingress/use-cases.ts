/** The engine's use cases for the ingress, as one record that the composition root fills. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../../engine/engine.ts";
import type { attach, output } from "../../engine/ingress/attach.ts";
import type { call } from "../../engine/ingress/call.ts";
import type { mayAskAbout, ownIdempotentId } from "../../engine/ingress/ownership.ts";
import type { send } from "../../engine/ingress/send.ts";

/** A member that has the type of an engine function is described at that function. */
export interface IngressUseCases {
  readonly call: typeof call;
  readonly send: typeof send;
  readonly attach: typeof attach;
  readonly output: typeof output;
  /** The id for a target and an idempotency key; computed without a lookup (I7). */
  idempotentId(target: Target, idempotencyKey: string): InvocationId;
  readonly ownIdempotentId: typeof ownIdempotentId;
  readonly mayAskAbout: typeof mayAskAbout;
  /** The id of a workflow's run, submitted or not. */
  workflowId(service: string, key: string): InvocationId;
  /** `completeAwakeable` of the engine: no effect if the invocation is unknown or completed, or the awakeable is completed. */
  resolveAwakeable(engine: Engine, awakeableId: string, result: Result): Promise<void>;
}
