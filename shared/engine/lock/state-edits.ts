/**
 * Edits of state by an operator: an edit of an object takes a ticket as a call does; that of a workflow is pending until its values are
 * written.
 */
import type { StateChange } from "../../core/model/state-change.ts";
import { EMPTY_STATE, type KeyedState } from "../../core/object/keyed-state.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import { bytes, message, optional, repeated, string, submessage } from "../../core/model/proto3.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { chunkForPut, dropPieces, reassemble } from "../store/large-record.ts";
import { type Lock, lifeAt, packState, readLock } from "../store/lock-record.ts";
import { hasWritten, writeBeside } from "./object-state.ts";
import { STATE_SHOWN_MAX_BYTES, expireLife, readState } from "./stored-state.ts";
import type { Condition, Item, Update } from "../ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "../store/record-envelope.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { editKey, lockKey } from "../store/object-keys.ts";
import { lockAt } from "../store/object-partition.ts";
import { expiryS } from "./promises.ts";

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

/** A run may wait this long before a process needs its state and completes an edit whose editor has died. */
const EDIT_KEPT_S = 366 * DAY_S;

/**
 * Writes the values of an edit, names it in the lock, and completes it. The values have no effect until the lock names the edit.
 * @returns false if the lock has changed since it was read
 */
export async function editBeside(
  engine: Engine,
  pk: string,
  lock: Lock,
  edit: Nonce,
  values: Values,
): Promise<boolean> {
  const expiresAtS = Math.ceil(engine.clock.nowMs() / 1000) + EDIT_KEPT_S;
  const item = await chunkForPut(engine, { ...editKey(pk, edit), b: editRecord(values, undefined), expiresAtS }, edit);
  await engine.table.put(item);
  const { update, condition } = namingEdit(lock, edit);
  const outcome = await engine.table.update(lockKey(pk), update, condition);
  const stored = readLock(outcome.written ? outcome.item : outcome.existing);
  // If the answer to a write is lost, the write is sent again, and the edit that the first write named refuses the second one.
  if (stored.editedBy === edit) await withoutPendingEdit(engine, pk, stored);
  else await dropEdit(engine, item);
  return stored.editedBy === edit;
}

/**
 * The change of a lock that counts an edit and names it as pending. From then on the lock refuses the changes that the run has made
 * to the former state, and the run makes them to the edited one.
 */
function namingEdit(lock: Lock, edit: Nonce): { readonly update: Update; readonly condition: Condition } {
  const isNew = lock.grant === 0;
  const first = isNew && { held: 0, grant: 1, applied: 0, st: packState(EMPTY_STATE) };
  const update = { set: { pendingEdit: edit, editedBy: edit, ...first }, add: { edits: 1, head: 0, tail: 0, life: 0 } };
  return { update, condition: whileUnedited(lock) };
}

/** The condition that the stored lock has the same state as this one. */
export function whileUnedited(lock: Lock): Condition {
  if (lock.grant === 0) return { kind: "absent" };
  const same = (["grant", "applied", "edits"] as const).map((attribute): Condition => ({
    kind: "equal",
    attribute,
    value: lock[attribute],
  }));
  return { kind: "all", of: same };
}

/**
 * Completes the edit that the lock names as pending: its editor may have died, or another process may complete it at the same
 * time. All of them write the same values under the same stamp.
 * @returns the lock without a pending edit, or of a life that is over
 */
export async function withoutPendingEdit(engine: Engine, pk: string, read: Lock): Promise<Lock> {
  let lock = read;
  while (lock.pendingEdit !== undefined && !lifeAt(lock, engine.clock.nowMs()).over)
    lock = await completed(engine, pk, lock, lock.pendingEdit);
  return lock;
}

/** Completes the edit. @returns the stored lock */
async function completed(engine: Engine, pk: string, lock: Lock, edit: Nonce): Promise<Lock> {
  const item = await engine.table.get(editKey(pk, edit));
  const state = item === undefined ? lock.state : await stateAfter(engine, pk, lock, edit, item);
  if (state === undefined) return await lockAt(engine, pk);
  const named: Condition = { kind: "equal", attribute: "pendingEdit", value: edit };
  const outcome = await engine.table.update(
    lockKey(pk),
    { set: { st: packState(state) }, remove: ["pendingEdit"] },
    { kind: "all", of: [named, whileUnedited(lock)] },
  );
  const stored = readLock(outcome.written ? outcome.item : outcome.existing);
  if (item === undefined && outcome.written) engine.log.write("edit.dropped", { edit });
  // The run has ended: the values live as long as the rest of its state.
  if (stored.goneAtMs !== undefined && stored.life === lock.life)
    await expireLife(engine, pk, lock.life, expiryS(stored.goneAtMs));
  if (item !== undefined && stored.pendingEdit !== edit) await dropEdit(engine, item);
  return stored;
}

/** @returns undefined if another process has completed the edit, and has removed its values, during the read */
async function stateAfter(
  engine: Engine,
  pk: string,
  { life, grant, edits, state }: Lock,
  edit: Nonce,
  item: Item,
): Promise<KeyedState | undefined> {
  const readable = await reassemble(engine, [item], edit).catch(async (error: unknown) => {
    if ((await lockAt(engine, pk)).pendingEdit === edit) throw error;
    return undefined;
  });
  if (readable === undefined) return undefined;
  const changes = replacing(editIn(readable[0]).values);
  return await writeBeside(engine, pk, life, state, changes, { grant, edits, segmentIndex: 0 });
}

/** Removes the values of an edit that no lock names, and whose values are therefore not needed any more. */
async function dropEdit(engine: Engine, { pk, sk, ...rest }: Item): Promise<void> {
  await engine.table.delete({ pk, sk });
  await dropPieces(engine, { pk, sk, ...rest });
}
