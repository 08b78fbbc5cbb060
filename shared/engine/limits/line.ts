/** The line of a pool: the turns of the invocations that wait at one of its gates, and who is next. */
import { turnOrder } from "../../core/limits/turn.ts";
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Engine } from "../engine.ts";
import { sendWake, wakeNow } from "../messaging/wake.ts";
import {
  type Gate,
  poolExpiryS,
  poolPk,
  type Turn,
  turnKeyIn,
  turnOf,
  turnsAfter,
  turnsOf,
  turnsOfKey,
} from "../store/pool-items.ts";
import { REGISTRY_FRESH_MS } from "../ports/registry.ts";
import type { Item, Key } from "../ports/table.ts";

/** A pool for one invocation: its name, and the key by which it takes turns with others. */
export interface LineOf {
  readonly name: string;
  readonly turnKey: string;
}

export type Life = Pick<Acceptance, "id" | "nonce" | "target" | "createdAtMs"> &
  Partial<Pick<Acceptance, "startAtMs" | "priority" | "commandIndex">>;

/** The turn of an invocation at a gate. It follows from the acceptance, so the invocation has one turn, however often it asks. */
export function turnKeyOf(
  { settings }: Pick<Engine, "settings">,
  line: LineOf,
  gate: Gate,
  { id, createdAtMs, startAtMs, priority, commandIndex }: Life,
): Key {
  const order = turnOrder(startAtMs ?? createdAtMs, priority);
  return turnKeyIn(poolPk(settings.keyPrefix, line.name), { gate, turnKey: line.turnKey, order, commandIndex }, id);
}

/** Writes the turn. An invocation that waits already keeps its turn. */
export async function joinLine(engine: Engine, line: LineOf, gate: Gate, life: Life): Promise<void> {
  const { clock, table } = engine;
  const nowMs = clock.nowMs();
  const item: Item = {
    ...turnKeyOf(engine, line, gate, life),
    n: life.nonce,
    drawnAtMs: nowMs,
    service: life.target.service,
    expiresAtS: poolExpiryS(nowMs),
  };
  // A turn of a former life under the same id would lead to that life.
  const mayStand = { kind: "equal", attribute: "n", value: life.nonce } as const;
  const { written, ...found } = await table.put(item, { kind: "absent" });
  const existing = (found as { existing?: Item }).existing;
  if (!written && existing?.["n"] !== life.nonce) await table.put(item);
  else if (!written && expiresSoon(existing, nowMs))
    await table.update(item, { set: { expiresAtS: poolExpiryS(nowMs) } }, mayStand);
}

const SOON_S = 15 * 86_400;

function expiresSoon(item: Item | undefined, nowMs: number): boolean {
  return Number(item?.["expiresAtS"] ?? 0) < Math.ceil(nowMs / 1000) + SOON_S;
}

/** @returns false if the turn was gone: another process has served it */
export async function leaveLine({ table }: Pick<Engine, "table">, key: Key): Promise<boolean> {
  return (await table.delete(key, { kind: "present" })).written;
}

/**
 * @param servedKey the key that was served last; the next key has its turn now
 * @returns the turn that is served next; undefined if none waits
 */
export async function nextTurn(
  { table, settings }: Pick<Engine, "table" | "settings">,
  pool: string,
  gate: Gate,
  servedKey: string,
): Promise<Turn | undefined> {
  const pk = poolPk(settings.keyPrefix, pool);
  const { items } = await table.query(pk, { ...turnsAfter(gate, servedKey), limit: 1 });
  const found = items[0] ?? (await table.query(pk, { ...turnsOf(gate), limit: 1 })).items[0];
  return found && turnOf(found);
}

/**
 * The same for several that are served at a time: each key has its turn before one has its second, however long the line is.
 * @returns at most `count` turns
 */
export async function nextTurns(
  engine: ReadsTurns,
  pool: string,
  gate: Gate,
  servedKey: string,
  count: number,
): Promise<readonly Turn[]> {
  if (count === 1) {
    const turn = await nextTurn(engine, pool, gate, servedKey);
    return turn === undefined ? [] : [turn];
  }
  const next: Turn[] = [];
  const ofKey = new Map<string, Turn[]>();
  const keyAfter = new Map<string, string>();
  let key = servedKey;
  for (let without = 0; next.length < count && without <= ofKey.size;) {
    const known = keyAfter.get(key);
    const following = known ?? (await nextTurn(engine, pool, gate, key))?.turnKey;
    if (following === undefined) break;
    keyAfter.set(key, following);
    key = following;
    if (!ofKey.has(key)) ofKey.set(key, [...(await turnsWithin(engine, pool, turnsOfKey(gate, key), count))]);
    const turn = ofKey.get(key)!.shift();
    if (turn !== undefined) next.push(turn);
    without = turn === undefined ? without + 1 : 0;
  }
  return next;
}

/** @param most the bound of the read. @returns the turns of a gate in the order of their keys */
export async function turnsAt(engine: ReadsTurns, pool: string, gate: Gate, most: number): Promise<readonly Turn[]> {
  return await turnsWithin(engine, pool, turnsOf(gate), most);
}

/**
 * The turns of the keys after the one that was served last, and then those of all keys: so a key with more turns than a read returns does
 * not hide the others.
 * @param most the bound of the read
 */
export async function turnsFrom(
  engine: ReadsTurns,
  pool: string,
  gate: Gate,
  servedKey: string,
  most: number,
): Promise<readonly Turn[]> {
  const after = turnsAfter(gate, servedKey);
  const first = await turnsWithin(engine, pool, after, most);
  const rest = { ...turnsOf(gate), below: after.from };
  return first.length === most ? first : [...first, ...(await turnsWithin(engine, pool, rest, most - first.length))];
}

type ReadsTurns = Pick<Engine, "table" | "settings">;

async function turnsWithin(
  { table, settings }: ReadsTurns,
  pool: string,
  within: { readonly from: string; readonly below: string },
  most: number,
): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let after: string | undefined;
  do {
    const range = { ...within, limit: most - turns.length, ...(after !== undefined && { after }) };
    const page = await table.query(poolPk(settings.keyPrefix, pool), range);
    turns.push(...page.items.map(turnOf));
    after = page.next;
  } while (after !== undefined && turns.length < most);
  return turns;
}

/** An invocation that waits in the memory of this process needs no message. */
export async function wakeTurn(engine: Engine, { id, service }: Turn): Promise<void> {
  const waiting = engine.activeInvocations.find(id);
  if (waiting?.places.waitsInLine === true) waiting.inbox.interrupt();
  else await wakeNow(engine, { id, ...(service !== "" && { target: { service } }) });
}

/** Longer than a process remembers the rules. */
const RULES_REMEMBERED_MS = 2 * REGISTRY_FRESH_MS;

/**
 * Takes one out of a line that no rule holds back any more. The first message comes when each process knows the rules: who dies after
 * the removal has sent it.
 */
export async function release(engine: Engine, turn: Turn): Promise<void> {
  const { id, service, key } = turn;
  await sendWake(engine, { id, ...(service !== "" && { target: { service } }) }, RULES_REMEMBERED_MS);
  await leaveLine(engine, key);
  await wakeTurn(engine, turn);
}
