/** Notices that the clock of the machine was set, or that the machine was suspended: no timer notices either. */
import type { Clock } from "../../engine/ports/clock.ts";

const LOOK_EVERY_MS = 1_000;
/** A look that is off by less than this was only late. */
const SET_FROM_MS = 1_000;

interface Waiting {
  /** A call too many does no harm. */
  look(): void;
}

/** Lets all look within a second after the clock was set, until the signal aborts. */
export async function lookWhenSet(clock: Clock, waiting: readonly Waiting[], signal: AbortSignal): Promise<void> {
  for (let expectedMs = clock.nowMs() + LOOK_EVERY_MS; await clock.sleep(LOOK_EVERY_MS, signal);) {
    const nowMs = clock.nowMs();
    if (Math.abs(nowMs - expectedMs) >= SET_FROM_MS) for (const each of waiting) each.look();
    expectedMs = nowMs + LOOK_EVERY_MS;
  }
}
