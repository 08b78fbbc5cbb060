/** Applies an operator's edit of a state when its turn in the queue has come: the edit replaces the whole state. */
import type { StateChange } from "../../core/model/state-change.ts";
import type { KeyedState } from "../../core/object/keyed-state.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import { bytes, message, optional, repeated, string, submessage } from "../../core/model/proto3.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { reassemble } from "../store/large-record.ts";
import type { Lock } from "../store/lock-record.ts";
import { hasWritten, writeBeside } from "./object-state.ts";
import { readState, STATE_SHOWN_MAX_BYTES } from "./stored-state.ts";
import type { Item } from "../ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "../store/record-envelope.ts";

const StoredValue = message({ key: string(1), value: bytes(2) });
const StoredEdit = message({ values: repeated(submessage(1, () => StoredValue)), expected: optional(bytes(2)) });

export type Values = ReadonlyMap<string, Uint8Array>;

/** @param expected the fingerprint of the state that the edit is made for; undefined for any state */
export function editRecord(values: Values, expected: Uint8Array | undefined): Uint8Array {
  const stored = { values: [...values].map(([key, value]) => ({ key, value })), ...(expected && { expected }) };
  return sealed(encode(StoredEdit, stored, ENVELOPE_BYTES));
}

/** @param item as `reassemble` returns it @throws StoreError if it cannot be read */
export function editIn(item: Item | undefined): { values: Values; expected: Uint8Array | undefined } {
  const { values, expected } = decode(StoredEdit, opened(item?.["b"], "an edit of a state"));
  return { values: new Map(values.map(({ key, value }) => [key, value])), expected };
}

const FINGERPRINT_BYTES = 16;

/** Equal for equal values, in any order. */
export function fingerprint({ ids }: Pick<Engine, "ids">, values: Values): Uint8Array {
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return ids.derive(["state", ...sorted.flat()], FINGERPRINT_BYTES);
}

/** This offset sorts an edit after every segment of the holder, and sorts edits in the order of their tickets. */
const BEHIND_SEGMENTS = 1_000_000_000_000;

export async function applyEdit(
  engine: Engine,
  pk: string,
  { life, grant, edits, head }: Lock,
  state: KeyedState,
  item: Item,
): Promise<KeyedState> {
  const nonce = String(item["n"]) as Nonce;
  // The sort key of a ticket has no nonce. `reassemble` needs a sort key with the nonce to find the pieces of the edit.
  const [readable] = await reassemble(engine, [{ ...item, sk: `edit#${nonce}` }], nonce);
  const { values, expected } = editIn(readable);
  const stamp = { grant, edits, segmentIndex: BEHIND_SEGMENTS + head + 1 };
  // An edit that has begun goes on, because a part of it may be written already.
  if (expected !== undefined && !(await hasWritten(engine, pk, life, stamp))) {
    const { values: now, complete } = await readState(engine, pk, life, state, STATE_SHOWN_MAX_BYTES);
    // No operator can read a state above `STATE_SHOWN_MAX_BYTES`, so an incomplete state has changed since the operator's read.
    if (!complete || fingerprint(engine, now).some((byte, at) => byte !== expected[at])) {
      engine.log.write("edit.dropped", { edit: nonce });
      return state;
    }
  }
  return await writeBeside(engine, pk, life, state, replacing(values), stamp);
}

/** The changes that replace any state by these values. */
export function replacing(values: Values): readonly StateChange[] {
  const sets = [...values].map(([key, value]): StateChange => ({ kind: "set", key, value }));
  return [{ kind: "clear-all" }, ...sets];
}
