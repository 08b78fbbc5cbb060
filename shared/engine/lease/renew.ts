/** Renews the lease of a driver while the drive goes on (docs/design.md#the-lease). */
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { changeCondition, keepCondition } from "../store/lease-record.ts";
import { changeRecord, writeRecord } from "./write-record.ts";

/**
 * Renews the lease once. The first renewal puts the invocation into the open index, because the drive takes longer than one
 * lease. A later renewal updates the lease record and does not move the entry in the open index.
 * @returns false if the driver has lost the lease
 */
export async function renew(engine: Engine, active: ActiveInvocation): Promise<boolean> {
  const { lease, invocation } = active;
  const untilMs = engine.clock.nowMs() + engine.settings.leaseMs;
  const { segmentIndex } = invocation;
  const lookedAtMs = lease.record?.lookAtMs;
  const changes = { status: "running" as const, untilMs, lookAtMs: lookedAtMs ?? untilMs, ...silenceOf(active) };
  const newToken = () => engine.activeInvocations.newToken();
  const isKept = await lease.renewBy(untilMs, newToken, async (mine) => {
    active.countWrite();
    return lookedAtMs === undefined
      ? await writeRecord(engine, invocation, lease, changes, keepCondition(segmentIndex, mine))
      : await changeRecord(engine, invocation, lease, changes, changeCondition(segmentIndex, mine));
  });
  if (!isKept) active.lose();
  return isKept;
}

function silenceOf({ attempt: { exchange } }: ActiveInvocation): { silentSinceMs?: number } {
  return exchange?.silent === true ? { silentSinceMs: exchange.heardAtMs } : {};
}
