/** One event of a process that is frozen behind its reply: what it drives is put down in time, and nothing runs afterwards. */
import type { Engine } from "../engine.ts";

/** Spans that wait longer for their collector go out with the next event. */
const FLUSH_MAX_MS = 500;

/**
 * Does the work; when its time is up, drivers let go of their exchanges, park and send a message for whoever goes on,
 * and whoever waits is told to wait elsewhere (docs/design.md#a-driver-stops-in-time).
 * @param untilMs before the process has to have replied: parking takes a few round trips to the table and the queue
 */
export async function withinTime<T>(
  { clock, activeInvocations, tracer }: Pick<Engine, "clock" | "activeInvocations" | "tracer">,
  untilMs: number,
  work: () => Promise<T>,
): Promise<T> {
  activeInvocations.resume();
  const over = new AbortController();
  const watch = clock.sleep(Math.max(0, untilMs - clock.nowMs()), over.signal).then((passed) => {
    if (passed) activeInvocations.stop("time");
  });
  try {
    return await work();
  } finally {
    over.abort();
    await watch;
    // Calls that nobody waited for may still be driven along: they are handed over to the queue.
    if (activeInvocations.size > 0) activeInvocations.stop();
    await activeInvocations.settled();
    if (tracer !== undefined) await tracer.flush(FLUSH_MAX_MS);
  }
}
