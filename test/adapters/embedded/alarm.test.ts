/** Tests that a wait follows the time of day, although timers do not notice that the clock of the machine is set. */
import { expect, test } from "vitest";
import { Alarm } from "../../../shared/adapters/embedded/alarm.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import { Pulse } from "../../harness/engine/pulse.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test("a moment that comes early because the clock is set forward ends a wait within ten minutes", async () => {
  const pulse = new Pulse();
  let setBackMs = 3 * HOUR_MS;
  const clock: Clock = {
    nowMs: () => pulse.nowMs() - setBackMs,
    sleep: (ms, signal) => pulse.sleep(ms, signal),
  };
  const alarm = new Alarm(clock);
  const dueMs = pulse.nowMs();
  const due = (async () => {
    while (clock.nowMs() < dueMs) await alarm.wait(dueMs);
    return "due";
  })();
  await pulse.pass(HOUR_MS);
  setBackMs = 0;
  expect(await pulse.within(10 * MINUTE_MS, due)).toBe("due");
});
