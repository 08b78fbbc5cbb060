/** The state of a key in the table: read for a request, and changed under the grant of its holder. */
import {
  hasBeside,
  isEmpty,
  type KeyedState,
  netEffect,
  place,
  type Placement,
} from "../../core/object/keyed-state.ts";
import type { StateChange } from "../../core/model/state-change.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { dropLost, dropPieces, chunkForPut, reassemble } from "../store/large-record.ts";
import { stateKey, stateRange } from "../store/object-keys.ts";
import { shortenWith } from "../store/object-partition.ts";
import type { Condition, Item } from "../ports/table.ts";
import { readPartition } from "../store/read-partition.ts";
import { ENVELOPE_BYTES, enveloped, CODEC, sameBytes } from "../store/record-envelope.ts";

/** The number of values beside the lock that are written at a time. */
const AT_ONCE = 25;
/** A removed value leaves a mark for this long. The mark refuses a late redo of an older write. */
const MARK_KEPT_S = 7 * DAY_S;

export interface StateView {
  readonly values: ReadonlyMap<string, Uint8Array>;
  /** False if not all values fit: a key that is not among the values may exist. */
  readonly complete: boolean;
}

/** Reads the whole state, or as many values as fit. Costs a read only if values are stored beside the lock. */
export async function readState(
  engine: Engine,
  pk: string,
  life: number,
  state: KeyedState,
  maxBytes = Infinity,
): Promise<StateView> {
  const all = hasBeside(state) ? await readBeside(engine, pk, life) : new Map<string, Uint8Array>();
  for (const [key, value] of state.inline) all.set(key, value);
  const values = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const [key, value] of all) {
    bytes += key.length + value.length;
    if (bytes > maxBytes) return { values, complete: false };
    values.set(key, value);
  }
  return { values, complete: true };
}

async function readBeside(engine: Engine, pk: string, life: number): Promise<Map<string, Uint8Array>> {
  const items = await readPartition(engine.table, pk, stateRange(life));
  const present = items.filter(({ gone }) => gone !== true);
  const values = new Map<string, Uint8Array>();
  for (const item of await reassemble(engine, present, String(life) as Nonce))
    values.set(String(item["key"]), valueIn(item));
  return values;
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

function valueIn(item: Item): Uint8Array {
  return (item["b"] as Uint8Array).subarray(ENVELOPE_BYTES);
}

/** Orders the writes of values by grant, edits and segment: a late write finds a later stamp, and is refused. */
export interface Stamp {
  readonly grant: number;
  /** The number of operators' edits before the write. */
  readonly edits: number;
  readonly segmentIndex: number;
}

/** Writes the values beside the lock. @returns the state that the caller must write into the lock */
export async function writeBeside(
  engine: Engine,
  pk: string,
  life: number,
  before: KeyedState,
  changes: readonly StateChange[],
  stamp: Stamp,
): Promise<KeyedState> {
  const placement = place(before, changes);
  await writePlaced(engine, pk, life, before, placement, stamp);
  return placement.next;
}

async function writePlaced(
  engine: Engine,
  pk: string,
  life: number,
  before: KeyedState,
  { put, remove, removesAll }: Placement,
  stamp: Stamp,
): Promise<void> {
  const g = stampText(stamp);
  const older: Condition = { kind: "any", of: [{ kind: "absent" }, { kind: "less", attribute: "g", than: g }] };
  const shorten = shortenWith(engine);
  const removed = new Set(remove);
  if (removesAll) for (const key of (await readBeside(engine, pk, life)).keys()) if (!put.has(key)) removed.add(key);
  const writes = [...[...removed].map((key) => [key, undefined] as const), ...put];
  await atMost(AT_ONCE, writes, async ([key, value]) => {
    const at = stateKey(pk, life, key, shorten);
    const former = before.unlisted || before.beside.has(key) ? await engine.table.get(at) : undefined;
    const item: Item =
      value === undefined ? markAt(engine, at, key, g) : await valueAt(engine, at, key, g, value, life);
    const put = await engine.table.put(item, older);
    // If the answer to our put was lost, the put was sent again, and our own item refused it.
    const isOurs = put.written || (put.existing?.["g"] === g && isSameValue(put.existing, item));
    if (!isOurs) await dropLost(engine, item, put.existing);
    else if (former !== undefined) await dropPieces(engine, former);
  });
}

function isSameValue(existing: Item, { b }: Item): boolean {
  return b === undefined ? existing["gone"] === true : sameBytes(existing["b"], b);
}

/** True if a value beside the lock has this stamp. */
export async function hasWritten(engine: Engine, pk: string, life: number, stamp: Stamp): Promise<boolean> {
  const g = stampText(stamp);
  return (await readPartition(engine.table, pk, stateRange(life))).some((item) => item["g"] === g);
}

function markAt({ clock }: Engine, at: { pk: string; sk: string }, key: string, g: string): Item {
  return { ...at, key, g, gone: true, expiresAtS: Math.ceil(clock.nowMs() / 1000) + MARK_KEPT_S };
}

async function valueAt(
  engine: Engine,
  at: { pk: string; sk: string },
  key: string,
  g: string,
  value: Uint8Array,
  life: number,
): Promise<Item> {
  return await chunkForPut(engine, { ...at, key, g, b: enveloped(value, CODEC.plain) }, String(life));
}

function stampText({ grant, edits, segmentIndex }: Stamp): string {
  return [grant, edits, segmentIndex].map((part) => String(part).padStart(16, "0")).join(".");
}

/** The state as a handler reads it during an attempt: the stored state and the changes that are not written yet. */
export class ChangedState {
  readonly #changes: StateChange[] = [];
  readonly #read: (key: string) => Promise<Uint8Array | undefined>;
  readonly #keys: () => Promise<Iterable<string>>;

  constructor(read: (key: string) => Promise<Uint8Array | undefined>, keys: () => Promise<Iterable<string>>) {
    this.#read = read;
    this.#keys = keys;
  }

  change(change: StateChange): void {
    this.#changes.push(change);
  }

  async value(key: string): Promise<Uint8Array | undefined> {
    const { cleared, last } = netEffect(this.#changes);
    if (last.has(key)) return last.get(key);
    return cleared ? undefined : await this.#read(key);
  }

  async keys(): Promise<readonly string[]> {
    const { cleared, last } = netEffect(this.#changes);
    const keys = new Set(cleared ? [] : await this.#keys());
    for (const [key, value] of last) {
      if (value === undefined) keys.delete(key);
      else keys.add(key);
    }
    return [...keys].sort();
  }
}

/** Longer than a ticket lives. If a lock is created again, its tickets must not find old tickets with the same numbers. */
const EMPTY_LOCK_KEPT_S = 40 * DAY_S;

/** A lock without state expires, because only its grants and its tickets are still needed, and only for a while. */
export function expiryOfEmpty({ clock }: Pick<Engine, "clock">, state: KeyedState): number | undefined {
  return isEmpty(state) ? Math.ceil(clock.nowMs() / 1000) + EMPTY_LOCK_KEPT_S : undefined;
}
