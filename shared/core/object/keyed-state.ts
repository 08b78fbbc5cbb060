/** The state of one key as its lock carries it: small values, and the names of larger values, which have separate items. */
import type { StateChange } from "../model/state-change.ts";

export interface KeyedState {
  readonly inline: ReadonlyMap<string, Uint8Array>;
  /** The names of the values that are beside the lock. */
  readonly beside: ReadonlySet<string>;
  /** True if the names of the values beside the lock are too many or too long for the lock; `beside` is empty then. */
  readonly unlisted: boolean;
}

export const EMPTY_STATE: KeyedState = { inline: new Map(), beside: new Set(), unlisted: false };

/** Keeps the whole lock below 1 KB, the size of one write unit. */
const INLINE_MAX_BYTES = 640;
const INLINE_VALUE_MAX_BYTES = 256;
const ENTRY_BYTES = 6;
const LISTED_MAX = 16;
/** Handlers choose the names, and a name may have 64 KiB: without this bound the lock could outgrow an item. */
const LISTED_MAX_BYTES = 8 * 1024;

/**
 * The writes and removals of items beside the lock, and the next state of the lock itself. The engine changes the items before it
 * writes the lock.
 */
export interface Placement {
  readonly next: KeyedState;
  readonly put: ReadonlyMap<string, Uint8Array>;
  readonly remove: readonly string[];
  /** Remove every item beside the lock, except those in `put`. */
  readonly removesAll: boolean;
}

/**
 * Places each changed value. A value moves from the lock to an item beside the lock if the value or the lock grows too large.
 */
export function place(state: KeyedState, changes: readonly StateChange[]): Placement {
  const { cleared, last } = netEffect(changes);
  const inline = new Map(cleared ? [] : state.inline);
  const beside = new Set(cleared ? [] : state.beside);
  const unlisted = !cleared && state.unlisted;
  const put = new Map<string, Uint8Array>();
  const remove = new Set(cleared ? state.beside : []);
  const moveBeside = (key: string, value: Uint8Array): void => {
    inline.delete(key);
    beside.add(key);
    put.set(key, value);
    remove.delete(key);
  };
  for (const [key, value] of last) {
    const isBeside = beside.has(key) || (unlisted && !inline.has(key));
    if (value === undefined) {
      inline.delete(key);
      beside.delete(key);
      if (isBeside) remove.add(key);
    } else if (isBeside || value.length > INLINE_VALUE_MAX_BYTES) moveBeside(key, value);
    else inline.set(key, value);
  }
  let packed = packedBytes(inline);
  for (const [key, value] of packed > INLINE_MAX_BYTES ? largestFirst(inline) : []) {
    if (packed <= INLINE_MAX_BYTES) break;
    packed -= entryBytes(key, value);
    moveBeside(key, value);
  }
  const next =
    unlisted || beside.size > LISTED_MAX || namesBytes(beside) > LISTED_MAX_BYTES
      ? { inline, beside: new Set<string>(), unlisted: true }
      : { inline, beside, unlisted: false };
  return { next, put, remove: [...remove], removesAll: cleared && state.unlisted };
}

/** True if no value is in the lock, and the lock points to no value beside the lock. */
export function isEmpty({ inline, beside, unlisted }: KeyedState): boolean {
  return inline.size === 0 && beside.size === 0 && !unlisted;
}

/** False if the lock contains all values. */
export function hasBeside({ beside, unlisted }: KeyedState): boolean {
  return unlisted || beside.size > 0;
}

/** The last change of a name counts, and a clear-all voids the changes before it. */
export class NetEffect {
  readonly #last = new Map<string, Uint8Array | undefined>();
  #cleared = false;

  /** True if a change has cleared everything. */
  get cleared(): boolean {
    return this.#cleared;
  }

  /** The last change of each name since the last clear-all; undefined for a name that was cleared. */
  get last(): ReadonlyMap<string, Uint8Array | undefined> {
    return this.#last;
  }

  add(change: StateChange): void {
    if (change.kind === "clear-all") {
      this.#cleared = true;
      this.#last.clear();
    } else this.#last.set(change.key, change.kind === "set" ? change.value : undefined);
  }
}

export function netEffect(changes: readonly StateChange[]): NetEffect {
  const effect = new NetEffect();
  for (const change of changes) effect.add(change);
  return effect;
}

function packedBytes(inline: ReadonlyMap<string, Uint8Array>): number {
  let bytes = 0;
  for (const [key, value] of inline) bytes += entryBytes(key, value);
  return bytes;
}

function entryBytes(key: string, value: Uint8Array): number {
  return nameBytes(key) + value.length + ENTRY_BYTES;
}

function namesBytes(names: ReadonlySet<string>): number {
  let bytes = 0;
  for (const name of names) bytes += nameBytes(name) + ENTRY_BYTES;
  return bytes;
}

/** Assumes three bytes per UTF-16 unit, an upper bound, so some values move beside the lock a little early. */
function nameBytes(name: string): number {
  return name.length * 3;
}

/** Values of equal size keep their order. */
function largestFirst(inline: ReadonlyMap<string, Uint8Array>): readonly (readonly [string, Uint8Array])[] {
  return [...inline].toSorted((one, other) => entryBytes(...other) - entryBytes(...one));
}
