/** The id of the invocation that a command looks up: by its id, its idempotency key, or its workflow. */
import type { Lookup } from "../../core/invocation/entry.ts";
import { IdError, type InvocationId, parseInvocationId } from "../../core/model/ids.ts";
import { idempotentId, workflowId } from "../accept/invocation-ids.ts";
import type { Engine } from "../engine.ts";

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
