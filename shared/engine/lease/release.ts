/** Releases the lease of a driver by a park (docs/design.md#the-lease). */
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { keepCondition } from "../store/lease-record.ts";
import { writeRecord } from "./write-record.ts";

/** The time until the next look, as a share of the time that the invocation has waited so far. */
const CHECK_SHARE = 0.25;
const CHECK_MAX_MS = DAY_MS;

/**
 * Parks an invocation that cannot advance now, and releases the lease.
 * @param performed the index of the last segment whose effects are performed; by default the last segment
 * @returns false if another process has the lease
 */
export async function release(
  engine: Engine,
  active: ActiveInvocation,
  status: ParkedStatus,
  wakeAtMs: number | undefined,
  performed = active.invocation.segmentIndex,
): Promise<boolean> {
  const { lease, invocation } = active;
  await lease.renewal;
  const mine = lease.tokens;
  const lookAtMs = wakeAtMs ?? engine.clock.nowMs() + untilCheckMs(engine, active, status);
  lease.giveUp(engine.activeInvocations.newToken());
  const changes = { status, untilMs: 0, lookAtMs, performed, ...(wakeAtMs !== undefined && { wakeAtMs }) };
  active.countWrite();
  return await writeRecord(engine, invocation, lease, changes, keepCondition(invocation.segmentIndex, mine));
}

/**
 * Each look costs a claim and a park, so the interval grows with the wait of a suspended or paused invocation. In every
 * other status the next look follows after one interval.
 */
function untilCheckMs({ clock, settings }: Engine, { invocation }: ActiveInvocation, status: ParkedStatus): number {
  const intervalMs = settings.checkIntervalMs;
  if (status !== "suspended" && status !== "paused") return intervalMs;
  return untilNextCheckMs(clock.nowMs() - invocation.modifiedAtMs, intervalMs);
}

/** The time until the next look at an invocation that has waited for `waitedMs`. */
export function untilNextCheckMs(waitedMs: number, intervalMs: number): number {
  return Math.max(intervalMs, Math.min(CHECK_SHARE * waitedMs, CHECK_MAX_MS));
}
