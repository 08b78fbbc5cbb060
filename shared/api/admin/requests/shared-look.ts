/** Bounds what a look costs, however many clients ask at once: one look at a time, whose result is good for a short while. */

/** Probes ask once a second or less often. */
const GOOD_MS = 500;

/** A failed look is shared by those who wait for it, and by no others. */
export function sharedLook<Seen>(look: () => Promise<Seen>, nowMs: () => number): () => Promise<Seen> {
  let running: Promise<Seen> | undefined;
  let last: { readonly seen: Seen; readonly atMs: number } | undefined;
  const lookNow = async (): Promise<Seen> => {
    const seen = await look();
    last = { seen, atMs: nowMs() };
    return seen;
  };
  return async () => {
    // After the clock is set back, the age is negative.
    const ageMs = last === undefined ? Infinity : nowMs() - last.atMs;
    if (last !== undefined && ageMs >= 0 && ageMs < GOOD_MS) return last.seen;
    return await (running ??= lookNow().finally(() => (running = undefined)));
  };
}
