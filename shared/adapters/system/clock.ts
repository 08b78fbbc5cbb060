/** The clock of the machine: its time of day, and timers on a monotonic clock. */
import type { Clock } from "../../engine/ports/clock.ts";

/** Node fires a longer timer at once, so a longer sleep consists of several timers. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    const deadlineMs = performance.now() + ms;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      const onAbort = (): void => {
        clearTimeout(timer);
        resolve(false);
      };
      const hop = (): void => {
        const leftMs = deadlineMs - performance.now();
        if (leftMs > 0) {
          timer = setTimeout(hop, Math.min(Math.ceil(leftMs), TIMER_MAX_MS));
          return;
        }
        signal?.removeEventListener("abort", onAbort);
        resolve(true);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      hop();
    });
  }
}
