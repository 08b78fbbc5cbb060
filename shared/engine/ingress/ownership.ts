/** Binds idempotency keys and results to the caller who made an invocation, if the settings ask for it (ADR 48). */
import type { InvocationId } from "../../core/model/ids.ts";
import { principalOf } from "../../core/model/principal.ts";
import type { Target } from "../../core/model/target.ts";
import { boundIdempotentId, idempotentId } from "../accept/invocation-ids.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "../messaging/find-accepted.ts";
import { acceptanceIn, existingAcceptance } from "../store/acceptance-record.ts";

/** The caller of a request, where callers are bound. */
export interface BoundCaller {
  /** The identity as authenticated; undefined for a caller without one, who owns nothing. */
  readonly caller: string | undefined;
  /** The principals that may ask about every invocation, as `principalOf` returns them. */
  readonly readers: ReadonlySet<string>;
}

/**
 * True if the caller made the invocation, or may ask about all. An absent invocation and one of another caller look alike, also in the
 * time that the answer takes.
 */
export async function mayAskAbout(engine: Engine, id: InvocationId, by: BoundCaller): Promise<boolean> {
  if (by.caller !== undefined && by.readers.has(principalOf(by.caller))) return true;
  const own = await findAccepted(engine, id, () => ownAcceptance(engine, id, by.caller));
  return own !== undefined;
}

/**
 * The id of the caller's request with this key. Each principal has keys of its own. A request from before the binding has the id that
 * follows from the key alone: if it is the caller's, its repetition finds it.
 */
export async function ownIdempotentId(
  engine: Engine,
  target: Target,
  idempotencyKey: string,
  caller: string | undefined,
): Promise<InvocationId> {
  const unbound = idempotentId(engine, target, idempotencyKey);
  if (caller === undefined || (await ownAcceptance(engine, unbound, caller)) !== undefined) return unbound;
  return boundIdempotentId(engine, target, idempotencyKey, principalOf(caller));
}

async function ownAcceptance(engine: Engine, id: InvocationId, caller: string | undefined): Promise<true | undefined> {
  const existing = await existingAcceptance(engine, id);
  if (existing === undefined || caller === undefined) return undefined;
  const { createdBy } = await acceptanceIn(engine, id, existing);
  return createdBy !== undefined && principalOf(createdBy) === principalOf(caller) ? true : undefined;
}
