/** The holders of the places of a pool: the lives that the places name. */
import type { Taken } from "../../core/limits/places.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { HeldPlace } from "../local/held-places.ts";
import { holderOf, holderText, lifeText, STAMP_BYTES } from "../store/pool-items.ts";
import { readPool } from "./pool-state.ts";

/** One life of an invocation. */
export interface Named {
  readonly id: InvocationId;
  readonly nonce: Nonce;
}

/**
 * The text of a place that the life takes or gets now. Two processes may give one invocation a place each, so a stamp never follows
 * from another: both places would get the same one.
 */
export function newHolder({ ids }: Pick<Engine, "ids">, { id, nonce }: Named): string {
  const stamp = ids.random(STAMP_BYTES).reduce((number, byte) => number * 256 + byte, 0);
  return holderText({ id, nonce, stamp });
}

export function ownPlaces(taken: Taken, life: Named): readonly HeldPlace[] {
  const text = lifeText(life);
  const own: HeldPlace[] = [];
  for (const [place, holder] of taken) if (holder.startsWith(text)) own.push({ place, holder });
  return own;
}

/** True if a place names the life. */
export async function hasPlace(engine: Engine, pool: string, places: number, life: Named): Promise<boolean> {
  const { taken } = await readPool(engine, pool, places);
  return ownPlaces(taken, life).length > 0;
}

/** The holders of the places of a pool. */
export async function holdersOf(
  engine: Engine,
  pool: string,
  places: number,
): Promise<readonly (Named & { readonly held: HeldPlace })[]> {
  const { taken } = await readPool(engine, pool, places);
  return [...taken].map(([place, holder]) => {
    const { id, nonce } = holderOf(holder);
    return { id, nonce, held: { place, holder } };
  });
}
