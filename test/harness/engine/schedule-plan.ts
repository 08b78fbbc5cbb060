/** A plan of a schedule for tests: `S/tick` every minute, beside runs that are open. */
import { CATCH_UP_DEFAULT_MS, type SchedulePlan } from "../../../shared/core/schedules/schedule.ts";

export function schedulePlan(given: Partial<SchedulePlan> = {}): SchedulePlan {
  return {
    name: "nightly",
    target: { service: "S", handler: "tick" },
    input: new TextEncoder().encode('"in"'),
    headers: [{ key: "content-type", value: "application/json" }],
    timing: { kind: "interval", everyMs: 60_000 },
    jitterMs: 0,
    overlap: "allow",
    catchUpMs: CATCH_UP_DEFAULT_MS,
    ...given,
  };
}
