/** Builds and writes lease records. Other files only delete them or extend their time to live (docs/design.md#the-lease). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce, Token } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { LeaseHandle } from "../local/lease-handle.ts";
import type { Condition, Item } from "../ports/table.ts";
import { leaseRecordKey, momentOfPlace, openKeys } from "../store/item-keys.ts";
import {
  type LeaseRecord,
  leaseRecordChange,
  leaseRecordItem,
  type LeaseRecordKey,
  readLeaseRecord,
} from "../store/lease-record.ts";
import { targetIn } from "../store/target-attributes.ts";
import { keepUntilS, openUntilS } from "../store/ttl.ts";

/** The life that a lease record belongs to. */
export type RecordPlace = Pick<Acceptance, "id" | "nonce" | "target" | "createdAtMs" | "completionRetentionMs">;

/** The fields of a lease record that follow neither from the invocation nor from the lease. */
export type RecordChanges = Partial<LeaseRecord> & Pick<LeaseRecord, "status" | "untilMs">;

/** The part of an invocation that its lease record repeats. */
type Repeated = Pick<Invocation, "acceptance" | "segmentIndex" | "attempts" | "retries" | "pin" | "lastFailure">;

/**
 * Puts the whole lease record, with its place in the open index. Afterwards the handle contains the record.
 * @returns false if the condition refused the write
 */
export async function writeRecord(
  engine: Engine,
  invocation: Repeated,
  lease: LeaseHandle,
  changes: RecordChanges,
  condition: Condition,
): Promise<boolean> {
  const record = recordOf(engine, invocation, lease, changes);
  const isOurs = await putRecord(engine, invocation.acceptance, record, condition);
  if (isOurs) lease.noteRecord(record);
  return isOurs;
}

/**
 * Updates the stored lease record, but changes neither its place in the open index nor the moments that the sweeper extends
 * (ADR 0022).
 * Afterwards the handle contains the record.
 * @returns false if the condition refused the write
 */
export async function changeRecord(
  engine: Engine,
  invocation: Repeated,
  lease: LeaseHandle,
  changes: RecordChanges,
  condition: Condition,
): Promise<boolean> {
  const record = recordOf(engine, invocation, lease, changes);
  const key = keyOf(engine, invocation.acceptance, record);
  const { pk, sk } = leaseRecordItem(key, record);
  const outcome = await engine.table.update({ pk, sk }, leaseRecordChange(key, record), condition);
  const stored = outcome.written ? outcome.item : outcome.existing;
  const isOurs = outcome.written || hasToken(stored, record);
  if (isOurs && stored !== undefined) lease.noteRecord(readLeaseRecord(stored));
  return isOurs;
}

/** Puts the whole lease record. @returns false if the condition refused the write */
export async function putRecord(
  engine: Engine,
  place: RecordPlace,
  record: LeaseRecord,
  condition: Condition,
): Promise<boolean> {
  const put = await engine.table.put(leaseRecordItem(keyOf(engine, place, record), record), condition);
  return put.written || hasToken(put.existing, record);
}

/** Puts a stored lease record into the open index and keeps its token. @returns false if the token has changed */
export async function listRecord(
  engine: Engine,
  id: InvocationId,
  { pk, sk, token }: Item,
  lookAtMs: number,
): Promise<boolean> {
  const same = { kind: "equal", attribute: "token", value: String(token) } as const;
  const set = { ...openKeys(engine.settings, id, lookAtMs), lookAtMs };
  return (await engine.table.update({ pk, sk }, { set }, same)).written;
}

/** Extends the moment until which the invocation may stay open; never shortens it. */
export async function extendRecord(engine: Engine, pk: string, nonce: Nonce, untilS: number): Promise<void> {
  const older = { kind: "less", attribute: "keepUntilS", than: untilS } as const;
  await engine.table.update(leaseRecordKey(pk, nonce), { set: { keepUntilS: untilS } }, older);
}

/** Makes a parked lease record. Its fields have the values of an invocation without an attempt, unless `changes` has others. */
export function firstRecord(
  { settings, activeInvocations }: Engine,
  { createdAtMs }: Pick<RecordPlace, "createdAtMs">,
  changes: Partial<LeaseRecord> & Pick<LeaseRecord, "status">,
): LeaseRecord {
  return {
    base: 0,
    token: activeInvocations.newToken(),
    untilMs: 0,
    attempts: 0,
    retries: NO_RETRIES,
    keepUntilS: openUntilS(settings, createdAtMs),
    ...changes,
  };
}

/**
 * Makes the `RecordPlace` for an entry of the listing, or for an acceptance that is not decoded. The retention is unknown there,
 * and counts as 0.
 */
export function unreadPlace(id: InvocationId, item: Item): RecordPlace {
  const { n, listSk } = item;
  const createdAtMs = momentOfPlace(String(listSk));
  return { id, nonce: n as Nonce, target: targetIn(item), createdAtMs, completionRetentionMs: 0 };
}

function recordOf(
  { settings }: Engine,
  { acceptance, segmentIndex, attempts, retries, pin, lastFailure }: Repeated,
  { token, ticket, waitsAt, timerAtMs, record: before }: LeaseHandle,
  changes: RecordChanges,
): LeaseRecord {
  const isOver = changes.status === "completed";
  return {
    base: segmentIndex,
    token,
    attempts,
    retries,
    keepUntilS: Math.max(before?.keepUntilS ?? 0, openUntilS(settings, acceptance.createdAtMs)),
    ...(before?.performed !== undefined && { performed: before.performed }),
    ...(timerAtMs !== undefined && !isOver && { timerAtMs }),
    ...(ticket !== undefined && { ticket }),
    ...(waitsAt !== undefined && !isOver && { waitsAt }),
    ...(pin && { deploymentId: pin.deploymentId }),
    ...(lastFailure && { lastFailure }),
    ...changes,
  };
}

/**
 * True if an earlier try of the same write took effect and only its answer was lost. Then the condition refuses the repeated
 * write, but the stored item has the token of this writer.
 */
function hasToken(existing: Item | undefined, { token }: { readonly token: Token }): boolean {
  return existing?.["token"] === token;
}

function keyOf({ settings, clock }: Engine, place: RecordPlace, { keepUntilS: until }: LeaseRecord): LeaseRecordKey {
  const { id, nonce, target, createdAtMs } = place;
  return {
    scheme: settings,
    id,
    nonce,
    target,
    createdAtMs,
    expiresAtS: keepUntilS(settings, place, clock.nowMs(), until),
  };
}
