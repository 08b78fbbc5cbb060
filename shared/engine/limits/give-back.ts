/**
 * Gives places of a pool back: to a holder beyond the limit, to the next that waits, or free. Those of one process that give places of
 * one pool back at a time do so together: each of them alone would hand its place to the same next one.
 */
import { freePlaces, givenBack } from "../../core/limits/places.ts";
import type { Engine } from "../engine.ts";
import type { GivenBack, HeldPlace } from "../local/held-places.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";
import type { Item } from "../ports/table.ts";
import { holderOf, itemOf, takenIn, type Turn } from "../store/pool-items.ts";
import { type Named, newHolder, ownPlaces } from "./holders.ts";
import { leaveLine, nextTurn, nextTurns, release, wakeTurn } from "./line.ts";
import {
  change,
  ensureItem,
  FREE,
  markAs,
  placeWrite,
  type PoolState,
  readPool,
  readWithin,
  share,
} from "./pool-state.ts";

/** Rounds beside those of a stopped process in which one give-back may serve the line. */
const ROUNDS_MAX = 32;
/** The most places that one round hands on: it reads as many turns of as many keys. */
const HANDED_AT_ONCE = 16;

/**
 * Asks the table whether a driver has the invocation still. A driver asks after it has read a place that names its invocation under a
 * stamp of another driver, and before it changes that place: a driver that claims the invocation later changes the stamp first.
 */
export type IsMine = () => Promise<boolean>;

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
export async function giveBackUnder(engine: Engine, pool: string, places: number, holder: string): Promise<void> {
  await giveBackJoint(engine, pool, places, { holder });
}

/** Passes on a place that its holder does not use. A place that is used since has another stamp, and stays. */
export async function giveBackHeld(engine: Engine, pool: string, places: number, { holder }: HeldPlace): Promise<void> {
  await giveBackJoint(engine, pool, places, ifUnused(engine, holder));
}

/** A driver of a sole owner writes no new stamp. */
function ifUnused(engine: Engine, holder: string): GivenBack {
  const { id } = holderOf(holder);
  return {
    holder,
    mayPass: () => !knowsEveryDriver(engine.settings) || engine.activeInvocations.find(id) === undefined,
  };
}

/**
 * Gives back each place that names the life, except the one that it keeps. Costs a read if it has none.
 * @returns the pool as it was read last
 * @param isMine asked by a driver; left out for a life that has ended
 */
export async function giveBackAll(
  engine: Engine,
  pool: string,
  places: number,
  life: Named,
  { isMine, kept }: { readonly isMine?: IsMine | undefined; readonly kept?: HeldPlace } = {},
): Promise<PoolState> {
  for (;;) {
    const state = await readPool(engine, pool, places);
    const own = ownPlaces(state.taken, life).find(({ place }) => place !== kept?.place);
    if (own === undefined || (isMine !== undefined && !(await isMine()))) return state;
    await giveBackUnder(engine, pool, places, own.holder);
  }
}

async function giveBackJoint(engine: Engine, pool: string, places: number, given: GivenBack): Promise<void> {
  await engine.activeInvocations.givesBack.ask(`${pool} ${places}`, given, async (all) => {
    await giveBackEach(engine, pool, places, all);
    return [];
  });
}

async function giveBackEach(engine: Engine, pool: string, places: number, given: readonly GivenBack[]): Promise<void> {
  for (let left = given; ;) {
    const state = await readPool(engine, pool, places);
    const placeOf = new Map([...state.taken].map(([place, holder]) => [holder, place]));
    left = left.filter(({ holder, mayPass }) => placeOf.has(holder) && mayPass?.() !== false);
    if (left.length === 0) return;
    const unused = await passOn(
      engine,
      pool,
      places,
      state,
      left.slice(0, HANDED_AT_ONCE).map((one) => ({ ...one, place: placeOf.get(one.holder)! })),
    );
    left = [...left, ...unused];
  }
}

/**
 * Hands each place on, moves a holder beyond the limit into it, or frees it. Callers repeat this until the places have other holders,
 * because another process may change the pool meanwhile.
 * @returns places that were handed to invocations that do not wait any more
 */
async function passOn(
  engine: Engine,
  pool: string,
  places: number,
  state: PoolState,
  given: readonly (GivenBack & HeldPlace)[],
): Promise<readonly GivenBack[]> {
  const servedKey = state.servedKeys.get(itemOf(given[0]!.place)) ?? "";
  const isRuled = Number.isFinite(places);
  const turns = isRuled ? [...(await nextTurns(engine, pool, "place", servedKey, given.length))] : [];
  const taken = new Map(state.taken);
  const handed: Promise<GivenBack | undefined>[] = [];
  const changed: Promise<void>[] = [];
  for (const { place, holder, mayPass } of given) {
    // This is asked in the same tick as the write that passes the place on.
    if (mayPass?.() === false) continue;
    const end = givenBack(taken, places, place, turns.length > 0);
    if (end.kind === "move") {
      taken.delete(end.from);
      taken.set(place, end.holder);
      const from = placeWrite(engine, pool, { place: end.from, from: end.holder, to: FREE });
      changed.push(change(engine, [placeWrite(engine, pool, { place, from: holder, to: end.holder }), from]));
    } else if (end.kind === "pass-on") {
      handed.push(handTo(engine, pool, { place, holder }, turns.shift()!, state));
    } else {
      taken.delete(place);
      changed.push(change(engine, [placeWrite(engine, pool, { place, from: holder, to: FREE })]));
    }
  }
  // Awaited together: an error of one must not leave the errors of the others to the process.
  const [all] = await Promise.all([Promise.all(handed), Promise.all(changed)]);
  const unused = all.flatMap((one) => one ?? []);
  // An invocation that began to wait since the read of the turns has seen a freed place as taken. After the limit was raised, more
  // places may be free.
  if (taken.size < places) await serve(engine, pool, places);
  return unused;
}

/**
 * Hands a place to the invocation of a turn, and wakes it. Another process may have changed the place since it was read.
 * @param from the place as it is now: of the giver, or free
 * @returns the place to be given back, if the invocation has left the line since: it ended, or took a place itself
 */
async function handTo(
  engine: Engine,
  pool: string,
  from: HeldPlace,
  turn: Turn,
  { taken }: PoolState,
): Promise<GivenBack | undefined> {
  if (ownPlaces(taken, turn).length > 0) {
    // The process that handed this invocation its place died before it removed the turn.
    await leaveLine(engine, turn.key);
    await wakeTurn(engine, turn);
    return undefined;
  }
  const holder = newHolder(engine, turn);
  const write = placeWrite(engine, pool, { place: from.place, from: from.holder, to: holder, served: turn.turnKey });
  if (knowsEveryDriver(engine.settings)) {
    // A transaction costs a sole owner no more than one of its writes (I10).
    const left = { kind: "delete", key: turn.key, condition: { kind: "present" } } as const;
    const { written } = await engine.table.transact([write, left]);
    // The stamp is new, so a process that finds it has written it.
    if (written || takenAt(await engine.table.get(write.key), from.place) === holder) await wakeTurn(engine, turn);
    return undefined;
  }
  const given = await engine.table.update(write.key, write.update, write.condition);
  // A client of the table that has repeated the write finds its own stamp.
  if (!given.written && takenAt(given.existing, from.place) !== holder) return undefined;
  const left = await leaveLine(engine, turn.key);
  // A repeated deletion finds no turn either, so one that has lost its turn asks again.
  await wakeTurn(engine, turn);
  return left ? undefined : ifUnused(engine, holder);
}

function takenAt(item: Item | undefined, place: number): string | undefined {
  return takenIn(item).find(([at]) => at === place)?.[1];
}

/**
 * Hands free places to those who wait, until there is none of either. Anyone may do this at any time.
 * @param places the limit now; if it is Infinity, each that waits is woken, because it needs no place any more
 * @returns true if it stopped at its bound, and more may be served
 */
export async function serve(engine: Engine, pool: string, places: number): Promise<boolean> {
  if (!Number.isFinite(places)) return await wakeAll(engine, pool);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const state = await readWithin(engine, pool, places);
    const free = freePlaces(state.taken, places, share(engine)).slice(0, HANDED_AT_ONCE);
    if (free.length === 0) return false;
    const turns = await nextTurns(engine, pool, "place", state.servedKeys.get(itemOf(free[0]!)) ?? "", free.length);
    if (turns.length === 0 && (await isLineEmpty(engine, pool, state))) return false;
    const given = free.slice(0, turns.length);
    for (const at of new Set(given.map(itemOf))) await ensureItem(engine, pool, at, state);
    const handed = given.map((place, at) => handTo(engine, pool, { place, holder: FREE }, turns[at]!, state));
    const unused = (await Promise.all(handed)).flatMap((one) => one ?? []);
    if (unused.length > 0) await giveBackEach(engine, pool, places, unused);
  }
  return true;
}

async function wakeAll(engine: Engine, pool: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const turn = await nextTurn(engine, pool, "place", "");
    if (turn === undefined && (await isLineEmpty(engine, pool, await readPool(engine, pool, Infinity)))) return false;
    if (turn !== undefined) await release(engine, turn);
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
