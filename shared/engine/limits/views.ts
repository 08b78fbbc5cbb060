/** The views of pools for operators: taken places, and invocations that wait. */
import { inTurn } from "../../core/limits/turn.ts";
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Limits } from "../../core/limits/rule.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { WaitView } from "../ports/submission.ts";
import type { Turn } from "../store/pool-items.ts";
import { poolNames } from "./all-pools.ts";
import { readBucket } from "./bucket.ts";
import { turnsAt } from "./line.ts";
import { readPool } from "./pool-state.ts";
import { gateOf, placesOf } from "./pools.ts";

/** The most turns of a line that are read. A longer line shows this number, and that there are more. */
export const WAITING_READ_MAX = 1_000;

export interface PoolView {
  /** The name of the level, such as `acme/gold` or `service:Mail`. */
  readonly pool: string;
  /** The pattern of the rule that counts for it; absent if none does any more. */
  readonly pattern?: string;
  readonly limits: Limits;
  readonly taken: number;
  /** Those who wait for a place or a start, up to `WAITING_READ_MAX`. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
  readonly oldestSinceMs?: number;
}

/** The pools that have been used in the last weeks. Costs some reads for each. @param most the bound of the answer */
export async function poolViews(engine: Engine, most: number): Promise<readonly PoolView[]> {
  const book = await engine.registry.rules();
  return await atMost(AT_ONCE, await poolNames(engine, most), async (pool): Promise<PoolView> => {
    const rule = book.ruleOf(pool);
    const places = placesOf(book, pool);
    const { taken } = await readPool(engine, pool, places);
    const turns = await turnsAt(engine, pool, "place", WAITING_READ_MAX);
    const starts = rule?.limits.rate === undefined ? [] : await turnsAt(engine, pool, "start", WAITING_READ_MAX);
    const all = [...turns, ...starts];
    return {
      pool,
      ...(rule !== undefined && { pattern: rule.pattern }),
      limits: rule?.limits ?? {},
      taken: taken.size,
      waiting: all.length,
      hasMoreWaiting: turns.length === WAITING_READ_MAX || starts.length === WAITING_READ_MAX,
      ...oldestOf(all),
    };
  });
}

function oldestOf(turns: readonly Turn[]): { oldestSinceMs?: number } {
  return turns.length === 0 ? {} : { oldestSinceMs: Math.min(...turns.map(({ drawnAtMs }) => drawnAtMs)) };
}

/**
 * The wait of an invocation at a gate. Costs the reads of one pool.
 * @param waitsAt the gate, as the lease record names it
 * @param sinceMs since when it could have run
 */
export async function gateView(
  engine: Engine,
  { id }: Pick<Acceptance, "id">,
  waitsAt: string,
  sinceMs: number,
): Promise<WaitView> {
  const { gate, pool } = gateOf(waitsAt);
  const book = await engine.registry.rules();
  const turns = await turnsAt(engine, pool, gate, WAITING_READ_MAX);
  const own = turns.find((turn) => turn.id === id);
  const line = {
    name: pool,
    sinceMs: own?.drawnAtMs ?? sinceMs,
    waiting: turns.length,
    ...oldestOf(turns),
  };
  if (gate === "start") {
    const { servedKey, pumpAtMs } = await readBucket(engine, pool);
    return { kind: "start", ...line, ...placeIn(turns, servedKey, id), ...(pumpAtMs > 0 && { untilMs: pumpAtMs }) };
  }
  const places = placesOf(book, pool);
  const { taken, servedKeys } = await readPool(engine, pool, places);
  return {
    kind: "place",
    ...line,
    ...placeIn(turns, servedKeys.get(0) ?? "", id),
    taken: taken.size,
    ...(Number.isFinite(places) && { places }),
  };
}

/** The number in line, counted key by key as they are served; absent if the turn is not among those that were read. */
function placeIn(turns: readonly Turn[], servedKey: string, id: string): { place?: number } {
  const at = inTurn(turns, servedKey, turns.length).findIndex((turn) => turn.id === id);
  return at < 0 ? {} : { place: at + 1 };
}
