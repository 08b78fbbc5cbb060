/**
 * Takes a place of a pool (ADR 51). A place names the life that has it, as the lock of a key does: a process that
 * takes over finds the place of its invocation, and a redo takes none twice. Each change is one conditional write.
 */
import { freePlace, placeBeyond } from "../../core/limits/places.ts";
import type { Engine } from "../engine.ts";
import type { HeldPlace } from "../local/held-places.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";
import { itemOf, placesKey, takenIn } from "../store/pool-items.ts";
import { giveBackAll, giveBackUnder, type IsMine, serve } from "./give-back.ts";
import { type Named, newHolder, ownPlaces } from "./holders.ts";
import { joinLine, type LineOf, leaveLine, type Life, turnKeyOf } from "./line.ts";
import {
  ensureItem,
  FREE,
  isWaitedFor,
  itemsFor,
  markAs,
  placeWrite,
  type PoolState,
  readPool,
  readWithin,
  share,
} from "./pool-state.ts";

/** Concurrent takers of one place refuse each other; one of them succeeds each time. */
const TRIES = 16;

/** One who asks for a place. */
export interface Asker {
  readonly life: Life;
  readonly isMine: IsMine;
  /** True if no place can name the invocation, because it has never asked. */
  readonly isFirst: boolean;
  /** True if the invocation may have a turn in this line. */
  readonly hasWaited: boolean;
}

/** @returns the place; `waits` after the turn is written; `lost` if another driver has the invocation */
export async function takeOrWait(
  engine: Engine,
  line: LineOf,
  places: number,
  asker: Asker,
): Promise<HeldPlace | "waits" | "lost"> {
  const { life, isMine, isFirst, hasWaited } = asker;
  const sampled = isFirst ? await takeSampled(engine, line, places, life) : undefined;
  const held = sampled ?? (await take(engine, line, places, asker));
  const key = turnKeyOf(engine, line, "place", life);
  if (held !== undefined) {
    // The process that handed the place over may have died before it removed the turn.
    if (hasWaited && held !== "lost" && (await engine.table.get(key)) !== undefined) await leaveLine(engine, key);
    return held;
  }
  await joinLine(engine, line, "place", life);
  const state = await markedState(engine, line.name, places);
  const late = await takeFrom(engine, line, places, asker, state);
  if (late === undefined) return "waits";
  if (late === "lost") return late;
  // Another process may have given a place to this invocation just before.
  if (!(await leaveLine(engine, key))) await giveBackAll(engine, line.name, places, life, { isMine, kept: late });
  return late;
}

type Taking = HeldPlace | "lost" | undefined;

/** Takes a place that is free, or that is the invocation's own already. @returns undefined if it has to wait */
async function take(engine: Engine, line: LineOf, places: number, asker: Asker): Promise<Taking> {
  const state = await readWithin(engine, line.name, places);
  if (isWaitedFor(state) && freePlace(state.taken, places, 0) !== undefined) {
    // A free place belongs to those who wait, unless the mark of their waiting is out of date.
    await serve(engine, line.name, places);
    return await takeFrom(engine, line, places, asker, await readWithin(engine, line.name, places));
  }
  return await takeFrom(engine, line, places, asker, state);
}

/** A pool with more items than this is not read whole while one of its items has a free place. */
const READ_WHOLE_MAX = 4;

/** Looks for a free place in one item of a large pool, so that the reads do not grow with the pool. */
async function takeSampled(engine: Engine, line: LineOf, places: number, life: Named): Promise<HeldPlace | undefined> {
  const pool = line.name;
  const count = itemsFor(places);
  if (count <= READ_WHOLE_MAX) return undefined;
  const at = Math.floor(share(engine) * count);
  const item = await engine.table.get(placesKey(engine.settings.keyPrefix, pool, at));
  if (item === undefined || item["line"] === 1) return undefined;
  const free = takenIn(item).filter(([place, holder]) => holder === FREE && place < places);
  const [place] = free[Math.floor(share(engine) * free.length)] ?? [];
  if (place === undefined) return undefined;
  const holder = newHolder(engine, life);
  const { key, update, condition } = placeWrite(engine, pool, { place, from: FREE, to: holder, served: line.turnKey });
  return (await engine.table.update(key, update, condition)).written ? { place, holder } : undefined;
}

async function takeFrom(
  engine: Engine,
  { name, turnKey }: LineOf,
  places: number,
  { life, isMine }: Pick<Asker, "life" | "isMine">,
  found: PoolState,
): Promise<Taking> {
  let state = found;
  for (let tried = 0; tried < TRIES; tried++) {
    const [own, ...more] = ownPlaces(state.taken, life);
    // In a sole owner, whoever frees the place of another looks first whether a driver of this process has it.
    if (own !== undefined && knowsEveryDriver(engine.settings)) return own;
    const place = own?.place ?? freePlace(state.taken, places, share(engine));
    if (place === undefined) return undefined;
    if (own !== undefined && !(await isMine())) return "lost";
    // A place that another process gave, or that a former driver took, gets a new stamp: who would free it sees that it is used.
    const holder = newHolder(engine, life);
    await ensureItem(engine, name, itemOf(place), state);
    const write = { place, from: own?.holder ?? FREE, to: holder, ...(own === undefined && { served: turnKey }) };
    const { key, update, condition } = placeWrite(engine, name, write);
    if ((await engine.table.update(key, update, condition)).written) {
      // Two processes gave it a place each, and it uses one of them.
      for (const unused of more) await giveBackUnder(engine, name, places, unused.holder);
      return { place, holder };
    }
    state = await readWithin(engine, name, places);
  }
  return undefined;
}

/**
 * A place beyond the limit, for an invocation that runs already when the rule is made.
 * @returns undefined if another driver has the invocation
 */
export async function takeInAnyCase(
  engine: Engine,
  { name }: LineOf,
  places: number,
  { life, isMine }: { readonly life: Named; readonly isMine: IsMine },
): Promise<HeldPlace | undefined> {
  for (;;) {
    const state = await readPool(engine, name, places);
    const [own] = ownPlaces(state.taken, life);
    if (own !== undefined && !(await isMine())) return undefined;
    const place = own?.place ?? freePlace(state.taken, places, share(engine)) ?? placeBeyond(state.taken, places);
    const holder = newHolder(engine, life);
    await ensureItem(engine, name, itemOf(place), state);
    const { key, update, condition } = placeWrite(engine, name, { place, from: own?.holder ?? FREE, to: holder });
    if ((await engine.table.update(key, update, condition)).written) return { place, holder };
  }
}

/**
 * Tells those who give a place back that an invocation waits, and reads the pool after that: a place that was given back before is
 * free in this state, and who gives one back later reads the turns.
 */
async function markedState(engine: Engine, pool: string, places: number): Promise<PoolState> {
  const state = await readWithin(engine, pool, places);
  if (state.unmarked.length === 0) return state;
  await markAs(engine, pool, state.unmarked, 1);
  return await readWithin(engine, pool, places);
}
