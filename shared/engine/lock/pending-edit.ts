/**
 * An operator's edit of a workflow's state whose values do not fit the lock. The run never gives its lock back, so the edit cannot
 * take a turn: the lock first counts and names the edit, then any process writes its values and replaces the state in the lock.
 */
import type { KeyedState } from "../../core/object/keyed-state.ts";
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import type { Condition, Update } from "../ports/table.ts";
import { chunkForPut, reassemble } from "../store/large-record.ts";
import { lifeAt, type Lock, packState, readLock } from "../store/lock-record.ts";
import { editKey, lockKey } from "../store/object-keys.ts";
import { editIn, editRecord, replacing, type Values } from "./apply-edit.ts";
import { expireLife } from "./life-items.ts";
import { writeBeside } from "./object-state.ts";
import { expiryS } from "./promises.ts";

/** A run may wait this long before a process needs its state and completes an edit whose editor has died. */
const EDIT_KEPT_S = 366 * DAY_S;

/** Writes the values of an edit. They have no effect until the lock names the edit. */
export async function writeEdit(engine: Engine, pk: string, edit: Nonce, values: Values): Promise<void> {
  const expiresAtS = Math.ceil(engine.clock.nowMs() / 1000) + EDIT_KEPT_S;
  const item = { ...editKey(pk, edit), b: editRecord(values, undefined), expiresAtS };
  await engine.table.put(await chunkForPut(engine, item, edit));
}

/**
 * The change of a lock that counts an edit and names it as pending. From then on the lock refuses the changes that the run has made
 * to the former state, and the run makes them to the edited one.
 */
export function namingEdit(lock: Lock, edit: Nonce): { readonly update: Update; readonly condition: Condition } {
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
  while (lock.pendingEdit !== undefined && !lifeAt(lock, engine.clock.nowMs()).over) {
    const { pendingEdit, goneAtMs, life } = lock;
    const state = await stateAfter(engine, pk, lock, pendingEdit);
    const named: Condition = { kind: "equal", attribute: "pendingEdit", value: pendingEdit };
    const outcome = await engine.table.update(
      lockKey(pk),
      { set: { st: packState(state) }, remove: ["pendingEdit"] },
      { kind: "all", of: [named, whileUnedited(lock)] },
    );
    lock = readLock(outcome.written ? outcome.item : outcome.existing);
    // The run has ended: the values live as long as the rest of its state.
    const endsAtMs = lock.goneAtMs ?? goneAtMs;
    if (endsAtMs !== undefined && lock.life === life) await expireLife(engine, pk, life, expiryS(endsAtMs));
  }
  return lock;
}

async function stateAfter(engine: Engine, pk: string, lock: Lock, edit: Nonce): Promise<KeyedState> {
  const item = await engine.table.get(editKey(pk, edit));
  if (item === undefined) {
    engine.log.write("edit.dropped", { edit });
    return lock.state;
  }
  const [readable] = await reassemble(engine, [item], edit);
  const { life, grant, edits, state } = lock;
  const stamp = { grant, edits, segmentIndex: 0 };
  return await writeBeside(engine, pk, life, state, replacing(editIn(readable).values), stamp);
}
