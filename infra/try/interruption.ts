/** Ctrl-C, heard twice: the first ends the trying and has the stack destroyed, the next leaves it where it is. */

export interface Interruption {
  /** Ends what is tried. */
  readonly trying: AbortSignal;
  /** Ends what clears up, too. */
  readonly clearing: AbortSignal;
  /** Gives the signals back to the process. */
  forget(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A terminal and npm may both pass the same Ctrl-C on. */
const SAME_WITHIN_MS = 1_000;

/** @param tell is called at the first */
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
