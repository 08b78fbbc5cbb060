/** Claims the lease of an invocation (docs/design.md#the-lease). */
import type { Token } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { ActiveInvocation, type DriverOrigin } from "../local/active-invocation.ts";
import { Inbox } from "../local/inbox.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import type { Condition } from "../ports/table.ts";
import type { Lease } from "../store/acceptance-record.ts";
import { changeCondition, type LeaseRecord } from "../store/lease-record.ts";
import type { Loaded } from "../store/load.ts";
import { extendClaimed } from "./extend.ts";
import { changeRecord, type RecordChanges, writeRecord } from "./write-record.ts";

export interface ClaimOptions extends Omit<DriverOrigin, "depth"> {
  /** The `wakeAtMs` of the message that leads to the claim. The timer for that moment has fired. */
  readonly spentAtMs?: number | undefined;
}

/**
 * Claims an invocation that no process drives. If the load found a lease record, the claim updates it and keeps its
 * place in the open index. If the load found none, the claim fails if another process has put a lease record since.
 * @returns undefined if the claim of another process was faster
 */
export async function claim(
  engine: Engine,
  loaded: Loaded,
  { spentAtMs, ...origin }: ClaimOptions,
): Promise<ActiveInvocation | undefined> {
  const { invocation, pk, arrivals, left, leaseRecord } = loaded;
  const record = leaseRecord && withoutTimer(leaseRecord, spentAtMs);
  const lease = new LeaseHandle(nextLease(engine, engine.activeInvocations.newToken()), record);
  if (hasVoidTicket(invocation, record)) lease.dropTicket();
  const inbox = new Inbox(arrivals, left);
  const active = new ActiveInvocation(pk, invocation, { lease, inbox }, { ...origin, depth: 0 });
  // A driver that parks gives its places back first, unless the invocation waits at a gate.
  active.places.mayHaveMore = loaded.lease.untilMs !== 0 || record?.waitsAt !== undefined;
  active.countWrite();
  const won =
    record === undefined
      ? await writeRecord(engine, invocation, lease, running(lease), { kind: "absent" })
      : await changeRecord(
          engine,
          invocation,
          lease,
          running(lease),
          changeCondition(invocation.segmentIndex, [record.token]),
        );
  if (!won) return undefined;
  await extendClaimed(engine, loaded);
  return active;
}

/**
 * True if a ticket in the lease record is void: the record is older than a pause that took the invocation out of the queue of
 * its key, and another segment follows the pause. The writer of that segment made the ticket void first (I2), but may have
 * died before its park wrote the lease record without the ticket.
 */
function hasVoidTicket({ leftQueueAt = 0, segmentIndex }: Loaded["invocation"], record?: LeaseRecord): boolean {
  return record !== undefined && record.base < leftQueueAt && leftQueueAt < segmentIndex;
}

function withoutTimer(leaseRecord: LeaseRecord, spentAtMs: number | undefined): LeaseRecord {
  const { timerAtMs, ...rest } = leaseRecord;
  return timerAtMs === undefined || timerAtMs !== spentAtMs ? leaseRecord : rest;
}

/**
 * A claim leaves the entry of the open index at its place: a move costs a second index write, and the sweeper looks at
 * every running entry, wherever it is. If an invocation has no such entry, the sweeper finds it in the listing, and notes it
 * in the open index (I8).
 */
function running({ record, untilMs }: LeaseHandle): RecordChanges {
  const lookAtMs = record?.lookAtMs;
  return { status: "running", untilMs, ...(lookAtMs !== undefined && { lookAtMs }) };
}

/** Claims again an invocation that this driver has just parked, because an arrival came meanwhile (I4). */
export async function reclaim(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const { lease, invocation } = active;
  const ours: Condition = { kind: "equal", attribute: "token", value: lease.token };
  lease.take(nextLease(engine, engine.activeInvocations.newToken()));
  active.countWrite();
  return await changeRecord(engine, invocation, lease, running(lease), ours);
}

/** A lease with this token for one term from now on. */
export function nextLease(engine: Engine, token: Token): Lease {
  return { token, untilMs: engine.clock.nowMs() + engine.settings.leaseMs };
}
