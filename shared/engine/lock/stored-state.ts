/** Reads the state of a key from the table, page by page: no read has more in memory than its caller wants. */
import { type KeyedState, hasBeside } from "../../core/object/keyed-state.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { Item } from "../ports/table.ts";
import { reassemble, recordBytes } from "../store/large-record.ts";
import { stateKey, stateRange } from "../store/object-keys.ts";
import { shortenWith } from "../store/object-partition.ts";
import { ENVELOPE_BYTES } from "../store/record-envelope.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { readPartition } from "../store/read-partition.ts";

/** The limit of a state that is shown to operators as a whole, or compared with the one that an operator has read. */
export const STATE_SHOWN_MAX_BYTES = 4 * 1024 * 1024;

export interface StateView {
  readonly values: ReadonlyMap<string, Uint8Array>;
  /** False if not all values fit: a key that is not among the values may exist. */
  readonly complete: boolean;
}

/**
 * Reads the whole state, or as many values as fit. Costs a read only if values are stored beside the lock.
 * @param maxBytes the limit of names and values together
 */
export async function readState(
  engine: Engine,
  pk: string,
  life: number,
  state: KeyedState,
  maxBytes: number,
): Promise<StateView> {
  const values = new Map<string, Uint8Array>();
  let leftBytes = maxBytes;
  const fits = (bytes: number): boolean => (leftBytes -= bytes) >= 0;
  if (hasBeside(state)) {
    for await (const item of itemsBeside(engine, pk, life)) {
      const key = String(item["key"]);
      if (state.inline.has(key)) continue;
      if (!fits(key.length + recordBytes(item))) return { values, complete: false };
      const [readable] = await reassemble(engine, [item], String(life) as Nonce);
      const value = valueIn(readable!);
      // A record that the codec has packed is smaller than its value, so the difference is subtracted, too.
      leftBytes -= value.length + ENVELOPE_BYTES - recordBytes(item);
      if (leftBytes < 0) return { values, complete: false };
      values.set(key, value);
    }
  }
  for (const [key, value] of state.inline) {
    if (!fits(key.length + value.length)) return { values, complete: false };
    values.set(key, value);
  }
  return { values, complete: true };
}

/** The names of the state, without the values. */
export async function readKeys(engine: Engine, pk: string, life: number, state: KeyedState): Promise<Set<string>> {
  const keys = hasBeside(state) ? await keysBeside(engine, pk, life) : new Set<string>();
  for (const key of state.inline.keys()) keys.add(key);
  return keys;
}

/** The names of the values beside the lock. */
export async function keysBeside(engine: Engine, pk: string, life: number): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of itemsBeside(engine, pk, life)) keys.add(String(key));
  return keys;
}

/** One value of the state; undefined if there is none. */
export async function readValue(
  engine: Engine,
  pk: string,
  life: number,
  state: KeyedState,
  key: string,
): Promise<Uint8Array | undefined> {
  const inline = state.inline.get(key);
  if (inline !== undefined || !(state.unlisted || state.beside.has(key))) return inline;
  const item = await engine.table.get(stateKey(pk, life, key, shortenWith(engine)));
  if (item === undefined || item["gone"] === true) return undefined;
  const [readable] = await reassemble(engine, [item], String(life) as Nonce);
  return readable && valueIn(readable);
}

/** True if a value beside the lock, present or removed, has this stamp: the text of the `Stamp` of its last write. */
export async function isStamped(engine: Engine, pk: string, life: number, stampText: string): Promise<boolean> {
  for await (const { g } of allBeside(engine, pk, life)) if (g === stampText) return true;
  return false;
}

async function* itemsBeside(engine: Engine, pk: string, life: number): AsyncGenerator<Item> {
  for await (const item of allBeside(engine, pk, life)) if (item["gone"] !== true) yield item;
}

async function* allBeside({ table }: Engine, pk: string, life: number): AsyncGenerator<Item> {
  const range = stateRange(life);
  let page = await table.query(pk, range);
  for (;;) {
    yield* page.items;
    if (page.next === undefined) return;
    page = await table.query(pk, { ...range, after: page.next });
  }
}

function valueIn(item: Item): Uint8Array {
  return (item["b"] as Uint8Array).subarray(ENVELOPE_BYTES);
}

async function itemsOfLife(engine: Engine, pk: string, life: number) {
  const heads = ["state", "promise", "waiter", "blob"].map((name) => `${name}#${life}`);
  const ranges = heads.map((head) => ({ from: `${head}#`, below: `${head}$` }));
  return (await Promise.all(ranges.map((range) => readPartition(engine.table, pk, range)))).flat();
}

/** The items of one life of a workflow beside its lock: state, promises, waiters, and pieces of large values. */
export async function expireLife(engine: Engine, pk: string, life: number, expiresAtS: number): Promise<void> {
  await atMost(AT_ONCE, await itemsOfLife(engine, pk, life), async ({ sk }) => {
    await engine.table.update({ pk, sk }, { set: { expiresAtS } }, { kind: "present" });
  });
}

export async function dropLife(engine: Engine, pk: string, life: number): Promise<void> {
  await atMost(AT_ONCE, await itemsOfLife(engine, pk, life), async ({ sk }) => {
    await engine.table.delete({ pk, sk });
  });
}
