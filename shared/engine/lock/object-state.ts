/** The state of a key in the table: read for a request, and changed under the grant of its holder. */
import { isEmpty, type KeyedState, NetEffect, place, type Placement } from "../../core/object/keyed-state.ts";
import type { StateChange } from "../../core/model/state-change.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { dropLost, dropPieces, chunkForPut } from "../store/large-record.ts";
import { stateKey } from "../store/object-keys.ts";
import { shortenWith } from "../store/object-partition.ts";
import type { Condition, Item } from "../ports/table.ts";
import { enveloped, CODEC, sameBytes } from "../store/record-envelope.ts";
import { isStamped, keysBeside } from "./stored-state.ts";

/** The number of values beside the lock that are written at a time. */
const AT_ONCE = 25;
/** A removed value leaves a mark for this long. The mark refuses a late redo of an older write. */
const MARK_KEPT_S = 7 * DAY_S;

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
  if (removesAll) for (const key of await keysBeside(engine, pk, life)) if (!put.has(key)) removed.add(key);
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
  return await isStamped(engine, pk, life, stampText(stamp));
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
  readonly #effect = new NetEffect();
  readonly #read: (key: string) => Promise<Uint8Array | undefined>;
  readonly #keys: () => Promise<Iterable<string>>;

  constructor(read: (key: string) => Promise<Uint8Array | undefined>, keys: () => Promise<Iterable<string>>) {
    this.#read = read;
    this.#keys = keys;
  }

  change(change: StateChange): void {
    this.#effect.add(change);
  }

  async value(key: string): Promise<Uint8Array | undefined> {
    const { cleared, last } = this.#effect;
    if (last.has(key)) return last.get(key);
    return cleared ? undefined : await this.#read(key);
  }

  async keys(): Promise<readonly string[]> {
    const { cleared, last } = this.#effect;
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
