/**
 * Takes a place of a pool, and gives it back (ADR 51). A place names the life that has it, as the lock of a key does: a process that
 * takes over finds the place of its invocation, and a redo takes none twice. Each change is one conditional write.
 */
import { freePlace, givenBack, moveWithin, placeBeyond, type Taken } from "../../core/limits/places.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { HeldPlace } from "../local/held-places.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";
import {
  holderOf,
  holderText,
  placesKey,
  PLACES_PER_ITEM,
  STAMP_BYTES,
  takenIn,
  type Turn,
} from "../store/pool-items.ts";
import { joinLine, type LineOf, leaveLine, type Life, nextTurn, turnKeyOf, wakeTurn } from "./line.ts";
import { FREE, itemsFor, makeItem, placeWrite, type PoolState, readPool } from "./pool-state.ts";

/** Concurrent takers of one place refuse each other; one of them succeeds each time. */
const TRIES = 16;

/** Invocations beside those of a stopped process that one give-back may serve. */
const SERVED_MAX = 32;

type Named = Pick<Life, "id" | "nonce">;

/**
 * Asks the table whether a driver has the invocation still. A driver asks after it has read a place that names its invocation under a
 * stamp of another driver, and before it changes that place: a driver that claims the invocation later changes the stamp first.
 */
export type IsMine = () => Promise<boolean>;

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
  const holder = holderText({ id: life.id, nonce: life.nonce, stamp: newStamp(engine) });
  const { key, update, condition } = placeWrite(engine, pool, { place, from: FREE, to: holder, served: line.turnKey });
  return (await engine.table.update(key, update, condition)).written ? { place, holder } : undefined;
}

function isWaitedFor({ items, unmarked }: PoolState): boolean {
  return items.size > unmarked.length;
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
    const holder = holderText({ id: life.id, nonce: life.nonce, stamp: newStamp(engine) });
    await ensureItem(engine, name, place, state);
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

/** Reads the pool, and moves holders beyond the limit to free places, so that they keep no other place free. */
async function readWithin(engine: Engine, pool: string, places: number): Promise<PoolState> {
  for (;;) {
    const state = await readPool(engine, pool, places);
    const move = moveWithin(state.taken, places);
    if (move === undefined) return state;
    const { from, to, holder } = move;
    await ensureItem(engine, pool, to, state);
    await change(engine, [
      placeWrite(engine, pool, { place: to, from: FREE, to: holder }),
      placeWrite(engine, pool, { place: from, from: holder, to: FREE }),
    ]);
  }
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
    const own = ownPlace(state.taken, life);
    if (own !== undefined && !(await isMine())) return undefined;
    const place = own?.place ?? freePlace(state.taken, places, share(engine)) ?? placeBeyond(state.taken, places);
    const holder = holderText({ id: life.id, nonce: life.nonce, stamp: newStamp(engine) });
    await ensureItem(engine, name, place, state);
    const { key, update, condition } = placeWrite(engine, name, { place, from: own?.holder ?? FREE, to: holder });
    if ((await engine.table.update(key, update, condition)).written) return { place, holder };
  }
}

/** An item of a pool with a line begins with the mark: those who wait have marked only the items that they found. */
async function ensureItem(engine: Engine, pool: string, place: number, state: PoolState): Promise<void> {
  const at = Math.floor(place / PLACES_PER_ITEM);
  if (!state.items.has(at)) await makeItem(engine, pool, at, isWaitedFor(state));
}

/** True if a place names the life. */
export async function hasPlace(engine: Engine, pool: string, places: number, life: Named): Promise<boolean> {
  const { taken } = await readPool(engine, pool, places);
  return ownPlace(taken, life) !== undefined;
}

function ownPlace(taken: Taken, life: Named): HeldPlace | undefined {
  return ownPlaces(taken, life)[0];
}

function ownPlaces(taken: Taken, { id, nonce }: Named): readonly HeldPlace[] {
  const own: HeldPlace[] = [];
  for (const [place, holder] of taken) {
    const named = holderOf(holder);
    if (named.id === id && named.nonce === nonce) own.push({ place, holder });
  }
  return own;
}

/** Two processes may give one invocation a place each, so a stamp never follows from another: both places would get the same one. */
function newStamp({ ids }: Pick<Engine, "ids">): number {
  return ids.random(STAMP_BYTES).reduce((number, byte) => number * 256 + byte, 0);
}

/** A random number from 0 to below 1, which spreads those who ask at the same time. */
function share({ ids }: Pick<Engine, "ids">): number {
  return ids.random(1)[0]! / 256;
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

async function markAs(engine: Engine, pool: string, items: readonly number[], line: 0 | 1): Promise<void> {
  for (const at of items) {
    const key = placesKey(engine.settings.keyPrefix, pool, at);
    await engine.table.update(key, { set: { line } }, { kind: "present" });
  }
}

/**
 * Gives one place back. Costs one write while none waits.
 * @param places the limit now; Infinity if no rule counts for the pool any more
 */
export async function giveBack(engine: Engine, pool: string, places: number, held: HeldPlace): Promise<void> {
  const { place, holder } = held;
  const { key, update, condition } = placeWrite(engine, pool, { place, from: holder, to: FREE }, true);
  if (condition !== undefined && (await engine.table.update(key, update, condition)).written) return;
  await giveBackUnder(engine, pool, places, holder);
}

/**
 * Gives back the place that has this holder, also if it was moved. One that another driver of the invocation uses has another stamp, and
 * stays.
 */
export async function giveBackUnder(
  engine: Engine,
  pool: string,
  places: number,
  holder: string,
  mayPass = () => true,
): Promise<void> {
  for (;;) {
    const state = await readPool(engine, pool, places);
    const found = [...state.taken].find(([, name]) => name === holder);
    if (found === undefined || !mayPass()) return;
    await passOn(engine, pool, places, state, { place: found[0], holder }, mayPass);
  }
}

/**
 * Gives back each place that names the life, except the one that it keeps. Costs a read if it has none.
 * @param isMine asked by a driver; left out for a life that has ended
 */
export async function giveBackAll(
  engine: Engine,
  pool: string,
  places: number,
  life: Named,
  { isMine, kept }: { readonly isMine?: IsMine | undefined; readonly kept?: HeldPlace } = {},
): Promise<void> {
  for (;;) {
    const state = await readPool(engine, pool, places);
    const own = ownPlaces(state.taken, life).find(({ place }) => place !== kept?.place);
    if (own === undefined || (isMine !== undefined && !(await isMine()))) return;
    await passOn(engine, pool, places, state, own);
  }
}

/**
 * Hands one place on, moves a holder beyond the limit into it, or frees it. Callers repeat this until the place has another holder,
 * because another process may change the pool meanwhile.
 * @param mayPass asked right before the write
 */
async function passOn(
  engine: Engine,
  pool: string,
  places: number,
  { taken, servedKeys }: Pick<PoolState, "taken" | "servedKeys">,
  { place, holder }: HeldPlace,
  mayPass = () => true,
): Promise<void> {
  const turn = await nextTurn(engine, pool, "place", servedKeys.get(Math.floor(place / PLACES_PER_ITEM)) ?? "");
  if (!mayPass()) return;
  const end = givenBack(taken, places, place, turn !== undefined && Number.isFinite(places));
  switch (end.kind) {
    case "move":
      return await change(engine, [
        placeWrite(engine, pool, { place, from: holder, to: end.holder }),
        placeWrite(engine, pool, { place: end.from, from: end.holder, to: FREE }),
      ]);
    case "pass-on":
      await handTo(engine, pool, places, { place, holder }, turn!, taken);
      // After the limit was raised, more places may be free.
      if (taken.size < places) await serve(engine, pool, places);
      return;
    case "free":
      await change(engine, [placeWrite(engine, pool, { place, from: holder, to: FREE })]);
      // An invocation that began to wait since the read of the turns has seen this place as taken.
      await serve(engine, pool, places);
  }
}

/** Two places of one item change in one write, because a transaction takes each item once. */
async function change(engine: Engine, writes: readonly ReturnType<typeof placeWrite>[]): Promise<void> {
  const [one, other] = writes;
  if (one === undefined) return;
  if (other === undefined) return void (await engine.table.update(one.key, one.update, one.condition));
  if (one.key.pk !== other.key.pk) return void (await engine.table.transact(writes));
  const set = { ...one.update.set, ...other.update.set };
  await engine.table.update(one.key, { set }, { kind: "all", of: [one.condition!, other.condition!] });
}

/**
 * Hands a place to the invocation of a turn, and wakes it.
 * @param from the place as it is now: of the giver, or free
 * @returns false if another process has changed the place since it was read
 */
async function handTo(
  engine: Engine,
  pool: string,
  places: number,
  from: HeldPlace,
  turn: Turn,
  taken: Taken,
): Promise<boolean> {
  if (ownPlace(taken, turn) !== undefined) {
    // The process that handed this invocation its place died before it removed the turn.
    await leaveLine(engine, turn.key);
    await wakeTurn(engine, turn);
    return true;
  }
  const holder = holderText({ id: turn.id, nonce: turn.nonce, stamp: newStamp(engine) });
  const { place } = from;
  const write = placeWrite(engine, pool, { place, from: from.holder, to: holder, served: turn.turnKey });
  if (knowsEveryDriver(engine.settings)) {
    // A transaction costs a sole owner no more than one of its writes (I10).
    const left = { kind: "delete", key: turn.key, condition: { kind: "present" } } as const;
    const { written } = await engine.table.transact([write, left]);
    if (written) await wakeTurn(engine, turn);
    return written;
  }
  if (!(await engine.table.update(write.key, write.update, write.condition)).written) return false;
  if (await leaveLine(engine, turn.key)) await wakeTurn(engine, turn);
  // The invocation has left the line since: it ended, or took a place itself.
  else await giveBackHeld(engine, pool, places, { place, holder });
  return true;
}

/** Passes on a place that its holder does not use. A place that is used since has another stamp, and stays. */
export async function giveBackHeld(engine: Engine, pool: string, places: number, { holder }: HeldPlace): Promise<void> {
  const { id } = holderOf(holder);
  // A driver of a sole owner writes no new stamp. This is asked in the same tick as the write that passes the place on.
  const isUnused = () => !knowsEveryDriver(engine.settings) || engine.activeInvocations.find(id) === undefined;
  await giveBackUnder(engine, pool, places, holder, isUnused);
}

/**
 * Hands free places to those who wait, until there is none of either. Anyone may do this at any time.
 * @param places the limit now; if it is Infinity, each that waits is woken, because it needs no place any more
 * @returns true if it stopped at its bound, and more may be served
 */
export async function serve(engine: Engine, pool: string, places: number): Promise<boolean> {
  for (let served = 0; served < SERVED_MAX; served++) {
    const state = await readWithin(engine, pool, places);
    const place = Number.isFinite(places) ? freePlace(state.taken, places, share(engine)) : undefined;
    if (place === undefined && Number.isFinite(places)) return false;
    const at = Math.floor((place ?? 0) / PLACES_PER_ITEM);
    const turn = await nextTurn(engine, pool, "place", state.servedKeys.get(at) ?? "");
    if (turn === undefined) {
      if (await isLineEmpty(engine, pool, state)) return false;
    } else if (place === undefined) {
      if (await leaveLine(engine, turn.key)) await wakeTurn(engine, turn);
    } else {
      await ensureItem(engine, pool, place, state);
      await handTo(engine, pool, places, { place, holder: FREE }, turn, state.taken);
    }
  }
  return true;
}

/**
 * Removes the marks. An invocation that has begun to wait just before has seen them, and has written no mark, so the turns are read
 * once more afterwards.
 */
async function isLineEmpty(engine: Engine, pool: string, { items, unmarked }: PoolState): Promise<boolean> {
  const marked = [...items].filter((at) => !unmarked.includes(at));
  if (marked.length === 0) return true;
  await markAs(engine, pool, marked, 0);
  if ((await nextTurn(engine, pool, "place", "")) === undefined) return true;
  await markAs(engine, pool, marked, 1);
  return false;
}

/** The holders of the places of a pool. */
export async function holdersOf(
  engine: Engine,
  pool: string,
  places: number,
): Promise<readonly { readonly id: InvocationId; readonly nonce: Nonce; readonly held: HeldPlace }[]> {
  const { taken } = await readPool(engine, pool, places);
  return [...taken].map(([place, holder]) => {
    const { id, nonce } = holderOf(holder);
    return { id, nonce, held: { place, holder } };
  });
}
