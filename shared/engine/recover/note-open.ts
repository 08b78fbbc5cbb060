/**
 * Puts an unparked invocation into the open index, where every pass of the sweeper finds it if its driver dies (I8).
 */
import type { Engine } from "../engine.ts";
import type { Lease } from "../store/acceptance-record.ts";
import { claimCondition } from "../store/lease-record.ts";
import { isLeased, load, type Loaded } from "../store/load.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import { writeRecord } from "../lease/write-record.ts";

const TRIES_MAX = 3;

/**
 * While the lease is live, this changes nothing but the entry in the index: the driver keeps its token and its lease, and parks,
 * renews and commits as before. If the lease is over, the lease record also gets another token.
 * @param lookAtMs when the sweeper looks again. For an invocation that was never driven, the caller also sends a message; the
 *   message counts as lost if no driver has claimed the invocation by this moment
 * @returns the invocation as it is stored now; undefined if it is gone
 * @throws Error if other processes write the lease record first in every try
 */
export async function noteOpen(engine: Engine, found: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  let loaded: Loaded | undefined = found;
  for (let tries = 0; loaded !== undefined && tries < TRIES_MAX; tries++) {
    if (loaded.invocation.phase.status === "completed" || loaded.leaseRecord?.lookAtMs !== undefined) return loaded;
    const noted = await note(engine, loaded, lookAtMs);
    if (noted !== undefined) return noted;
    loaded = await load(engine, found.invocation.acceptance.id);
  }
  if (loaded !== undefined) throw new Error("others write its lease record again and again");
  return undefined;
}

/** @returns undefined if another process has written the lease record, or a segment, since the load */
async function note(engine: Engine, loaded: Loaded, lookAtMs: number): Promise<Loaded | undefined> {
  const { untilMs } = loaded.lease;
  // A process that read the expired lease may be claiming it now: the new token makes that claim fail, and the process loads
  // again.
  const isDriven = isLeased(engine, loaded, engine.clock.nowMs());
  const lease: Lease = { token: isDriven ? loaded.lease.token : engine.activeInvocations.newToken(), untilMs };
  const handle = new LeaseHandle(lease, loaded.leaseRecord);
  const how =
    untilMs > 0
      ? ({ status: "running", untilMs, lookAtMs: untilMs } as const)
      : ({ status: "ready", untilMs, lookAtMs } as const);
  const condition = claimCondition(loaded.invocation.segmentIndex, loaded.leaseRecord?.token);
  if (!(await writeRecord(engine, loaded.invocation, handle, how, condition))) return undefined;
  return { ...loaded, lease, ...(handle.record && { leaseRecord: handle.record }) };
}
