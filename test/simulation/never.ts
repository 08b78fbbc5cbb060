/** A promise of its own for each caller that waits for ever. */

/** One promise for all callers would hold on to each caller, so no world of a finished run could be collected. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
