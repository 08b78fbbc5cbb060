/** Handles Ctrl-C: the first one ends the trial, the second one also ends the removal of the stack. */

export interface Interruption {
  /** Aborted by the first signal: ends the trial. */
  readonly trying: AbortSignal;
  /** Aborted by the second signal: ends the clean-up, too. */
  readonly clearing: AbortSignal;
  /** Removes the signal handlers. */
  forget(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A terminal and npm may both forward the same Ctrl-C. */
const SAME_WITHIN_MS = 1_000;

/** @param tell called at the first signal */
export function interruption(tell: () => void): Interruption {
  const [trying, clearing] = [new AbortController(), new AbortController()];
  let lastMs = Number.NEGATIVE_INFINITY;
  const hear = (): void => {
    const isSame = performance.now() - lastMs < SAME_WITHIN_MS;
    lastMs = performance.now();
    if (isSame) return;
    if (trying.signal.aborted) return clearing.abort();
    trying.abort();
    tell();
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return {
    trying: trying.signal,
    clearing: clearing.signal,
    forget: () => SIGNALS.forEach((signal) => process.off(signal, hear)),
  };
}
