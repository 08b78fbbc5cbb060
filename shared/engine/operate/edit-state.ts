/** Reads the state of a key for an operator, or replaces it as a whole; an edit of an object waits for the key's holder. */
import { EMPTY_STATE, place } from "../../core/object/keyed-state.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { KeyOwner, ServiceType } from "../../core/model/target.ts";
import { newNonce } from "../accept/accept.ts";
import { lookAtHolder } from "../lock/acquire.ts";
import {
  type Values,
  editBeside,
  editRecord,
  fingerprint,
  replacing,
  whileUnedited,
  withoutPendingEdit,
} from "../lock/state-edits.ts";
import type { Engine } from "../engine.ts";
import { passOn } from "../lock/give-back.ts";
import { chunkForPut } from "../store/large-record.ts";
import { EDITOR, lifeAt, type Lock, packState, readLock } from "../store/lock-record.ts";
import { lockKey } from "../store/object-keys.ts";
import { besideReservations, isHeldBy, queueUp, takeOrQueue } from "../lock/object-lock.ts";
import { ticketExpiryS } from "../lock/ticket.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { expiryOfEmpty } from "../lock/object-state.ts";
import { readState, STATE_SHOWN_MAX_BYTES } from "../lock/stored-state.ts";
import type { Condition, Updated } from "../ports/table.ts";
import { sameBytes } from "../store/record-envelope.ts";

/** @returns undefined for a state above `STATE_SHOWN_MAX_BYTES` */
export async function stateOf(engine: Engine, target: KeyOwner): Promise<Values | undefined> {
  const pk = objectPartition(engine, target);
  return await shownState(engine, pk, await withoutPendingEdit(engine, pk, await lockAt(engine, pk)));
}

async function shownState(engine: Engine, pk: string, lock: Lock): Promise<Values | undefined> {
  const { life, over } = lifeAt(lock, engine.clock.nowMs());
  const stored = over ? EMPTY_STATE : lock.state;
  const { values, complete } = await readState(engine, pk, life, stored, STATE_SHOWN_MAX_BYTES);
  return complete ? values : undefined;
}

/**
 * `queued`: the edit waits for the holder of the key. `outdated`: the state is not the one that the operator has read: it
 * differs, or is now larger than `STATE_SHOWN_MAX_BYTES`, so that no operator can have read it.
 */
export type Edited = "applied" | "queued" | "outdated";

/** @param isExpected true for the state that may be replaced; by default any state may */
export async function editState(
  engine: Engine,
  target: KeyOwner,
  type: Exclude<ServiceType, "service">,
  values: Values,
  isExpected?: (current: Values) => Promise<boolean>,
): Promise<Edited> {
  const pk = objectPartition(engine, target);
  const nonce = newNonce(engine);
  for (;;) {
    const lock = await withoutPendingEdit(engine, pk, await lockAt(engine, pk));
    const current = isExpected && (await shownState(engine, pk, lock));
    if (isExpected !== undefined && (current === undefined || !(await isExpected(current)))) return "outdated";
    if (type === "workflow") {
      if (await editWorkflow(engine, pk, lock, values, nonce)) return "applied";
      continue;
    }
    if (await editFree(engine, pk, lock, values, nonce)) return "applied";
    return await editInTurn(engine, pk, target, values, current && fingerprint(engine, current), nonce);
  }
}

/** Edits the state in one conditional write, if the key has no holder and the state fits the lock before and after. */
async function editFree(engine: Engine, pk: string, lock: Lock, values: Values, nonce: Nonce): Promise<boolean> {
  const { next, put, remove, removesAll } = place(lock.state, replacing(values));
  if (lock.holder !== undefined || put.size > 0 || remove.length > 0 || removesAll) return false;
  const unchanged: Condition = {
    kind: "all",
    of: [
      { kind: "equal", attribute: "held", value: 0 },
      { kind: "equal", attribute: "grant", value: lock.grant },
    ],
  };
  const condition: Condition = lock.grant === 0 ? { kind: "any", of: [{ kind: "absent" }, unchanged] } : unchanged;
  const expiresAtS = expiryOfEmpty(engine, next);
  const grant = Math.max(engine.clock.nowMs(), lock.grant + 1);
  const set = { held: 0, grant, st: packState(next), editedBy: nonce };
  const add = { head: 0, tail: 0, edits: 0 };
  const update = expiresAtS === undefined ? { set, add, remove: ["expiresAtS"] } : { set: { ...set, expiresAtS }, add };
  const write = (): Promise<Updated> => engine.table.update(lockKey(pk), update, condition);
  return isMade(await besideReservations(engine, pk, write), nonce);
}

/**
 * True also if the write succeeded, its answer was lost, and its repetition was refused. The caller must not edit again in
 * this case, because a second edit would undo later changes.
 */
function isMade(outcome: Updated, nonce: Nonce): boolean {
  return outcome.written || readLock(outcome.existing).editedBy === nonce;
}

/**
 * The edit takes its turn as an exclusive call does: the process that passes the lock on applies it. The ticket is written
 * before any change, even if the key is free. If the editor dies, another process then applies the whole edit.
 */
async function editInTurn(
  engine: Engine,
  pk: string,
  target: KeyOwner,
  values: Values,
  expected: Uint8Array | undefined,
  nonce: Nonce,
): Promise<Edited> {
  const record = { pk, sk: "inbox#", b: editRecord(values, expected), expiresAtS: ticketExpiryS(engine) };
  const { b } = await chunkForPut(engine, record, nonce);
  const [editor, ticket] = [
    { id: EDITOR, nonce },
    { edit: true, b: b! },
  ];
  for (;;) {
    const taking = await takeOrQueue(engine, pk, editor, ticket);
    if (taking.kind === "held" && !(await isStill(engine, pk, taking.lock, expected))) {
      await passOn(engine, pk, target, taking.lock, taking.lock.state);
      return "outdated";
    }
    const lock = taking.kind === "held" ? await queueUp(engine, pk, editor, ticket) : taking.lock;
    // Another process has passed the lock on meanwhile, before the edit had its ticket.
    if (lock === undefined) continue;
    if (isHeldBy(lock, editor)) await passOn(engine, pk, target, lock, lock.state);
    // The sweeper looks at invocations that wait, and not at edits. So the editor looks at the holder itself.
    else await lookAtHolder(engine, pk, target, lock);
    return (await lockAt(engine, pk)).head >= lock.tail ? "applied" : "queued";
  }
}

/** True if any state may be replaced, or if the expected one is still the current one. */
async function isStill(engine: Engine, pk: string, lock: Lock, expected: Uint8Array | undefined): Promise<boolean> {
  if (expected === undefined) return true;
  const current = await shownState(engine, pk, lock);
  return current !== undefined && sameBytes(fingerprint(engine, current), expected);
}

/**
 * A workflow's run never gives its lock back, so an edit cannot wait for the lock. A write of state by the run is refused if
 * `edits` has grown since the run read the lock. The run then applies its changes to the edited state. One write makes an edit
 * that fits the lock; the lock names any other edit before the first of its values is written.
 * @param lock without a pending edit
 */
async function editWorkflow(engine: Engine, pk: string, lock: Lock, values: Values, nonce: Nonce): Promise<boolean> {
  if (lifeAt(lock, engine.clock.nowMs()).over) return true;
  const { next, put, remove, removesAll } = place(lock.state, replacing(values));
  if (put.size === 0 && remove.length === 0 && !removesAll) {
    const isNew = lock.grant === 0;
    const set = { st: packState(next), editedBy: nonce, ...(isNew && { held: 0, grant: 1, applied: 0 }) };
    const update = { set, add: { edits: 1, head: 0, tail: 0, life: 0 } };
    return isMade(await engine.table.update(lockKey(pk), update, whileUnedited(lock)), nonce);
  }
  return await editBeside(engine, pk, lock, nonce, values);
}
