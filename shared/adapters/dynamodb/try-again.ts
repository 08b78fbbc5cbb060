/** Retries a request after transient refusals: a few times, after jittered waits that grow up to a maximum. */
import type { Clock } from "../../engine/ports/clock.ts";

export interface Patience {
  readonly tries: number;
  readonly firstWaitMs: number;
  readonly waitMaxMs: number;
  /** True if the error is transient: the same request may succeed later. */
  readonly passes: (error: unknown) => boolean;
}

/** @throws what the last try threw */
export async function tryAgain<T>(clock: Clock, patience: Patience, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === patience.tries || !patience.passes(error)) throw error;
    }
    const waitMs = Math.min(patience.firstWaitMs * 2 ** (tries - 1), patience.waitMaxMs);
    // Jitter spreads requests that were refused together.
    await clock.sleep(waitMs * (0.5 + Math.random() / 2));
  }
}
