/**
 * Bounds the time in which a function works on one request or batch. The process of a function freezes after the reply, so the
 * drivers park in time, and nothing runs after the reply.
 */
import type { Engine } from "../engine.ts";

/** The longest wait for the trace collector after the work; spans that are not sent by then go out during later work. */
const FLUSH_MAX_MS = 500;

/**
 * Does the work. Shortly before its time is up, exchanges that stay open are half-closed. When the time is up, drivers abort
 * their exchanges, park and send a message for the next driver. Each wait for the end of an invocation then fails with
 * `StoppingError` (docs/design.md#a-driver-stops-in-time).
 * @param untilMs the moment when the time is up; it is earlier than the moment when the reply is due, because parking takes a few
 * round trips to the table and the queue
 */
export async function withinTime<T>(
  { clock, activeInvocations, tracer }: Pick<Engine, "clock" | "activeInvocations" | "tracer">,
  untilMs: number,
  work: () => Promise<T>,
): Promise<T> {
  activeInvocations.resume(untilMs);
  const over = new AbortController();
  const watch = clock.sleep(Math.max(0, untilMs - clock.nowMs()), over.signal).then((passed) => {
    if (passed) activeInvocations.stop("time");
  });
  try {
    return await work();
  } finally {
    over.abort();
    await watch;
    // Calls that the caller did not await may still be driven along; they are left to the queue.
    if (activeInvocations.size > 0) activeInvocations.stop("replied");
    await activeInvocations.settled();
    if (tracer !== undefined) await tracer.flush(FLUSH_MAX_MS);
  }
}
