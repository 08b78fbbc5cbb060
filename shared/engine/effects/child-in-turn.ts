/** Children under the bulkheads: their acceptances take turns, and children driven along take slots. */
import type { Effect } from "../../core/invocation/effects.ts";
import type { Engine } from "../engine.ts";
import { acceptChild } from "./child.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Performance } from "./performer.ts";

type AcceptChild = Extract<Effect, { kind: "accept-child" }>;

/**
 * Each calling service is a lane. If one service accepts a million children, another service waits for only one of these
 * acceptances.
 * @returns as `acceptChild`; a returned child holds a slot until `leaveSlot`
 */
export async function acceptChildInTurn(
  engine: Engine,
  performance: Performance,
  effect: AcceptChild,
  room: number,
): Promise<ActiveInvocation | undefined> {
  const { acceptances, alongside, pace } = engine.bulkheads;
  const { service } = effect.child.target;
  const caller = performance.by.invocation.acceptance.target.service;
  const breaking = pace.step(caller);
  if (breaking !== undefined) await breaking;
  const hasSlot = room > 0 && alongside.take(service);
  let child: ActiveInvocation | undefined;
  try {
    child = await acceptances.take(caller, () => acceptChild(engine, performance, effect, hasSlot ? room : 0));
    return child;
  } finally {
    if (hasSlot && child === undefined) alongside.give(service);
  }
}

/** Gives the slot back when the driver stops driving the child along. */
export function leaveSlot({ bulkheads }: Engine, child: ActiveInvocation): void {
  bulkheads.alongside.give(child.invocation.acceptance.target.service);
}
