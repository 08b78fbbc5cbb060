/** Ids of invocations: random for requests that come once, derived for requests that may be repeated (I7). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { ChildRequest, Lookup } from "../../core/protocol/command-parts.ts";
import {
  IdError,
  INVOCATION_ID_BYTES,
  type InvocationId,
  invocationIdBytes,
  invocationIdFromBytes,
  parseInvocationId,
} from "../../core/model/ids.ts";
import type { KeyOwner, Target, TargetTypes } from "../../core/model/target.ts";
import type { Engine } from "../engine.ts";

export function freshId(engine: Pick<Engine, "ids">): InvocationId {
  return invocationIdFromBytes(engine.ids.random(INVOCATION_ID_BYTES));
}

/** Every request with this target and idempotency key has this id, so a duplicate finds the first request without a search. */
export function idempotentId(engine: Engine, target: Target, idempotencyKey: string): InvocationId {
  const parts = [...kindIn(target, "ik"), ...namesOf(target), idempotencyKey];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** As `idempotentId`, for a key that belongs to one principal: the same key of another principal leads to another id. */
export function boundIdempotentId(
  engine: Engine,
  target: Target,
  idempotencyKey: string,
  principal: string,
): InvocationId {
  const parts = [...kindIn(target, "ic"), principal, ...namesOf(target), idempotencyKey];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** The name of a singleton key in the table. @param principal present if keys belong to principals */
export function singletonPlace(engine: Engine, target: Target, key: string, principal = ""): string {
  const parts = [...kindIn(target, "sg"), principal, ...namesOf(target), key];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** The id of a workflow's run follows from the key of the workflow and its scope alone. */
export function workflowId(engine: Engine, owner: KeyOwner): InvocationId {
  const parts = [...kindIn(owner, "wf"), owner.service, owner.key ?? ""];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** The first parts of an id: ids in scopes have a kind of their own, so no text of an id without a scope gives one of them. */
function kindIn({ scope }: KeyOwner, kind: string): readonly string[] {
  return scope === undefined ? [kind] : [`${kind}s`, scope];
}

function namesOf({ service, handler, key }: Target): readonly string[] {
  return [service, key === undefined ? "" : `k${key}`, handler];
}

/**
 * If the child is the run of a workflow, its id follows from the key of the workflow. If the request has an idempotency key, the
 * id follows from the target and this key. The id of any other child follows from the life of the caller and the command.
 */
export function childId(
  engine: Engine,
  caller: Pick<Acceptance, "id" | "nonce">,
  commandIndex: number,
  child: ChildRequest,
  { handlerType }: Pick<TargetTypes, "handlerType">,
): InvocationId {
  if (handlerType === "workflow") return workflowId(engine, child.target);
  if (child.idempotencyKey !== undefined) return idempotentId(engine, child.target, child.idempotencyKey);
  const parts = ["ch", invocationIdBytes(caller.id), caller.nonce, String(commandIndex)];
  return invocationIdFromBytes(engine.ids.derive(parts, INVOCATION_ID_BYTES));
}

/** @returns undefined for an id that does not parse */
export function idOfLookup(engine: Engine, lookup: Lookup): InvocationId | undefined {
  try {
    if (lookup.kind === "id") return parseInvocationId(lookup.invocationId);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    return undefined;
  }
  if (lookup.kind === "workflow") return workflowId(engine, lookup);
  return lookup.kind === "idempotency" ? idempotentId(engine, lookup.target, lookup.idempotencyKey) : undefined;
}
