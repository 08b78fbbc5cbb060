/** The use of rules: the places that are taken in all pools of a pattern, and the invocations that wait there. */
import type { Engine } from "../../../engine/engine.ts";
import { type PoolView, poolViews } from "../../../engine/limits/views.ts";
import type { ListedRuleBody } from "../../contract/limits.ts";
import { present } from "../requests/json-members.ts";

type Use = NonNullable<ListedRuleBody["use"]>;

/** Each pool costs some reads. */
const POOLS_MAX = 200;

/** @returns the use by pattern; a rule whose pools are free has none */
export async function usesOf(engine: Engine): Promise<ReadonlyMap<string, Use>> {
  const views = await poolViews(engine, POOLS_MAX);
  const isPartial = views.length >= POOLS_MAX;
  const uses = new Map<string, Use>();
  for (const view of views) {
    if (view.pattern === undefined || view.taken + view.waiting === 0) continue;
    uses.set(view.pattern, sum(uses.get(view.pattern), view, isPartial));
  }
  return uses;
}

function sum(
  use: Use | undefined,
  { taken, waiting, hasMoreWaiting, oldestSinceMs }: PoolView,
  isPartial: boolean,
): Use {
  const oldestMs = Math.min(use?.oldest_waiting_since_millis_since_epoch ?? Infinity, oldestSinceMs ?? Infinity);
  const isAtLeast = isPartial || hasMoreWaiting || use?.at_least === true;
  return {
    pools: (use?.pools ?? 0) + 1,
    taken: (use?.taken ?? 0) + taken,
    waiting: (use?.waiting ?? 0) + waiting,
    ...present({ oldest_waiting_since_millis_since_epoch: Number.isFinite(oldestMs) ? oldestMs : undefined }),
    ...(isAtLeast && { at_least: true }),
  };
}
