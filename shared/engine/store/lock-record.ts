/** The lock of an object key or a workflow id as an item: the holder, the queue, and the small state that is packed in. */
import { EMPTY_STATE, type KeyedState } from "../../core/object/keyed-state.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import { bool, bytes, message, repeated, string, submessage } from "../../core/model/proto3.ts";
import type { Item } from "../ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "./record-envelope.ts";

/**
 * Tickets are numbers. An invocation that finds the key taken draws the number after the last drawn one (`tail`). A
 * give-back serves the number after the last served one (`head`). The queue is empty if both are equal.
 */
export interface Lock {
  readonly holder?: { readonly id: InvocationId; readonly nonce: Nonce };
  /** The life that handed the key to this holder; absent if the holder took a free key. */
  readonly givenBy?: Nonce;
  /** Grows at each take and each hand-over, so that a late write under an older grant has no effect. */
  readonly grant: number;
  readonly head: number;
  readonly tail: number;
  /** The index of the holder's last segment whose changes of state were applied. */
  readonly applied: number;
  /** Counts the operators' edits of a workflow's state. The run of the workflow must not overwrite such an edit. */
  readonly edits: number;
  /**
   * The last edit that was written without a ticket: the edit of a free object key or of a workflow. If the answer of a write
   * was lost, the editor recognizes its own edit by this nonce.
   */
  readonly editedBy?: Nonce;
  /**
   * The edit of a workflow's state that `edits` counts already, and whose values may be written in part: every process that needs
   * the state completes the edit first.
   */
  readonly pendingEdit?: Nonce;
  /** Counts the lives of a workflow id; objects have one life. */
  readonly life: number;
  /** The end of the previous life. Every later event belongs to the new life, even an event before the acceptance of its run. */
  readonly lifeFromMs: number;
  /** From this moment on the life of a workflow counts as over, with its state and its promises. */
  readonly goneAtMs?: number;
  readonly sinceMs: number;
  readonly state: KeyedState;
}

/** The id of the holder while an edit, which found the key free, holds the key; no invocation holds the lock then. */
export const EDITOR = "edit" as InvocationId;

export const NO_LOCK: Lock = {
  grant: 0,
  head: 0,
  tail: 0,
  applied: 0,
  edits: 0,
  life: 0,
  lifeFromMs: 0,
  sinceMs: 0,
  state: EMPTY_STATE,
};

const StoredValue = message({ key: string(1), value: bytes(2) });
const StoredState = message({
  inline: repeated(submessage(1, () => StoredValue)),
  beside: repeated(string(2)),
  unlisted: bool(3),
});

export function packState({ inline, beside, unlisted }: KeyedState): Uint8Array {
  const values = [...inline].map(([key, value]) => ({ key, value }));
  return sealed(encode(StoredState, { inline: values, beside: [...beside], unlisted }, ENVELOPE_BYTES));
}

/** @throws StoreError */
export function readLock(item: Item | undefined): Lock {
  if (item === undefined) return NO_LOCK;
  const { holder, holderNonce, givenBy, editedBy, pendingEdit, goneAtMs, st } = item;
  const number = (name: string): number => (typeof item[name] === "number" ? (item[name] as number) : 0);
  return {
    grant: number("grant"),
    head: number("head"),
    tail: number("tail"),
    applied: number("applied"),
    edits: number("edits"),
    life: number("life"),
    lifeFromMs: number("lifeFromMs"),
    sinceMs: number("sinceMs"),
    state: st === undefined ? EMPTY_STATE : unpack(st),
    ...(item["held"] === 1 && { holder: { id: holder as InvocationId, nonce: holderNonce as Nonce } }),
    ...(typeof givenBy === "string" && { givenBy: givenBy as Nonce }),
    ...(typeof editedBy === "string" && { editedBy: editedBy as Nonce }),
    ...(typeof pendingEdit === "string" && { pendingEdit: pendingEdit as Nonce }),
    ...(typeof goneAtMs === "number" && { goneAtMs }),
  };
}

function unpack(st: Item[string]): KeyedState {
  const { inline, beside, unlisted } = decode(StoredState, opened(st, "the state of a lock"));
  return { inline: new Map(inline.map(({ key, value }) => [key, value])), beside: new Set(beside), unlisted };
}

/**
 * The life to which the state and the promises of a key belong now; `over` is true if the lock still shows the state of the
 * previous life.
 */
export function lifeAt({ life, goneAtMs }: Lock, atMs: number): { readonly life: number; readonly over: boolean } {
  const over = goneAtMs !== undefined && goneAtMs <= atMs;
  return { life: over ? life + 1 : life, over };
}
