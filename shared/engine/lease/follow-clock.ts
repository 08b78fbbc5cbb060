/** Follows a clock that was set while invocations run: what memory measures goes on, and every wait looks at the new time. */
import type { Engine } from "../engine.ts";

/** A round of the watch that is off by less than this was only late. */
const SET_FROM_MS = 1_000;

/**
 * Timers do not notice that the clock of the machine is set, nor that the process stood still. The moments of an exchange move with
 * the clock, because otherwise a clock that is set forward makes every exchange look dead, and one that is set back keeps a dead
 * exchange open. The waits of drivers end, so that each driver decides anew what is due.
 * @param setMs by how much the clock is ahead of what the round of the watch took
 */
export function followClock(
  { activeInvocations }: Pick<Engine, "activeInvocations">,
  nowMs: number,
  setMs: number,
): void {
  if (Math.abs(setMs) < SET_FROM_MS) return;
  // The clock was set during the round, so a moment may already be one of the clock as it is now.
  const isOld = (atMs: number): boolean => (setMs > 0 ? atMs + setMs <= nowMs : atMs > nowMs);
  const moved = (atMs: number): number => (isOld(atMs) ? atMs + setMs : atMs);
  for (const { attempt, inbox } of activeInvocations.all()) {
    attempt.follow(moved);
    inbox.interrupt();
  }
}
