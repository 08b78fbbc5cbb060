/** The state in a request: all of it, as much as fits, or none for a plain service and for lazy state. */
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { StartFields } from "../../core/protocol/request-body.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { lifeAt } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { withoutPendingEdit } from "./pending-edit.ts";
import { readState } from "./stored-state.ts";

export type EagerState = Pick<StartFields, "state" | "partialState">;

const NONE: EagerState = { state: [], partialState: true };

/**
 * Costs nothing for a plain service or lazy state. Else costs a read of the lock, unless the driver has the lock in memory,
 * and a read of the values beside the lock, if there are any.
 */
export function eagerState(
  engine: Engine,
  active: ActiveInvocation,
  { settings }: Route,
): EagerState | Promise<EagerState> {
  const { serviceType } = active.invocation.acceptance;
  const maxBytes = engine.settings.eagerStateMaxBytes;
  if (serviceType === "service" || settings.lazyState || maxBytes === 0) return NONE;
  return stateNow(engine, active, maxBytes);
}

/** The driver of the holder has the lock in memory; a shared handler gets the state as of the beginning of its attempt. */
async function stateNow(engine: Engine, active: ActiveInvocation, maxBytes: number): Promise<EagerState> {
  const pk = objectPartition(engine, active.invocation.acceptance.target);
  const lock = active.lock.known ?? (await withoutPendingEdit(engine, pk, await lockAt(engine, pk)));
  const { life, over } = lifeAt(lock, engine.clock.nowMs());
  const { values, complete } = await readState(engine, pk, life, over ? EMPTY_STATE : lock.state, maxBytes);
  let sizeBytes = 0;
  for (const [key, value] of values) sizeBytes += key.length + value.length;
  // Without room, the handler asks for the values that it needs.
  if (!active.hasStateRoom(engine.bulkheads, sizeBytes)) return NONE;
  const encoder = new TextEncoder();
  const state = [...values].map(([key, value]) => ({ key: encoder.encode(key), value }));
  return { state, partialState: !complete };
}
