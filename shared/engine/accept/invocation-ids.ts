/** Ids of invocations: random for what comes once, derived for what may be repeated (I7). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { ChildRequest } from "../../core/invocation/entry.ts";
import {
  INVOCATION_ID_BYTES,
  invocationIdBytes,
  invocationIdFromBytes,
  type InvocationId,
} from "../../core/model/ids.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../engine.ts";

export function freshId(engine: Pick<Engine, "ids">): InvocationId {
  return invocationIdFromBytes(engine.ids.random(INVOCATION_ID_BYTES));
}

/** The id of every request with this key: duplicates meet by address, not by search. */
export function idempotentId(engine: Engine, { service, handler, key }: Target, idempotencyKey: string): InvocationId {
  const parts = ["ik", service, key === undefined ? "" : `k${key}`, handler, idempotencyKey];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** The run of a workflow is found by the key of its workflow, whatever else it was submitted with. */
export function workflowId(engine: Engine, { service, key = "" }: Pick<Target, "service" | "key">): InvocationId {
  return invocationIdFromBytes(engine.ids.derive(["wf", service, key], INVOCATION_ID_BYTES));
}

/** A child's id follows from its caller's life and the command that made it, or from its own idempotency key. */
export function childId(
  engine: Engine,
  caller: Pick<Acceptance, "id" | "nonce">,
  commandIndex: number,
  child: ChildRequest,
  { handler }: Pick<Route, "handler">,
): InvocationId {
  if (handler.type === "workflow") return workflowId(engine, child.target);
  if (child.idempotencyKey !== undefined) return idempotentId(engine, child.target, child.idempotencyKey);
  const parts = ["ch", invocationIdBytes(caller.id), caller.nonce, String(commandIndex)];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}
