/** The state that travels with a request: all of it, as much as fits, or none where the handler asks for it by itself. */
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { StartFields } from "../../core/protocol/request-body.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { lifeAt } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { readState } from "./object-state.ts";

export type EagerState = Pick<StartFields, "state" | "partialState">;

const NONE: EagerState = { state: [], partialState: true };

/** What a request carries unless more is configured: a function takes 6 MB in all, journal and encoding included. */
export const EAGER_STATE_MAX_BYTES = 1 << 20;

/** Costs nothing for plain services; for the others a read where the driver does not hold the lock. */
export function eagerState(
  engine: Engine,
  active: ActiveInvocation,
  { settings }: Route,
): EagerState | Promise<EagerState> {
  const { serviceType } = active.invocation.acceptance;
  const maxBytes = engine.settings.eagerStateMaxBytes ?? EAGER_STATE_MAX_BYTES;
  if (serviceType === "service" || settings.lazyState || maxBytes === 0) return NONE;
  return stateNow(engine, active, maxBytes);
}

/** Who holds the lock knows the state; a shared handler sees it as it is when its attempt begins. */
async function stateNow(engine: Engine, active: ActiveInvocation, maxBytes: number): Promise<EagerState> {
  const pk = objectPartition(engine, active.invocation.acceptance.target);
  const lock = active.lock ?? (await lockAt(engine, pk));
  const { life, over } = lifeAt(lock, engine.clock.nowMs());
  const { values, complete } = await readState(engine, pk, life, over ? EMPTY_STATE : lock.state, maxBytes);
  const encoder = new TextEncoder();
  const state = [...values].map(([key, value]) => ({ key: encoder.encode(key), value }));
  return { state, partialState: !complete };
}
