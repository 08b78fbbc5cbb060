/** How a test with a planted mistake tries the seeds. */
import { expect } from "vitest";

/**
 * @param first the seed that caught the mistake when the test was written; if it still does, no other seed is played
 * @returns that seed, then the other seeds from 1 to `most`
 */
export function seedsToTry(first: number, most: number): readonly number[] {
  if (first > most) throw new Error(`seed ${first} is beyond the ${most} seeds of the test`);
  const all = Array.from({ length: most }, (_, at) => at + 1);
  return [first, ...all.filter((seed) => seed !== first)];
}

/**
 * Plays the seeds until one of them has the complaint.
 * @param complaintsOf plays a seed with the mistake
 */
export async function expectCaught(
  what: string,
  seeds: readonly number[],
  complaint: RegExp,
  complaintsOf: (seed: number) => Promise<readonly string[]>,
): Promise<void> {
  let heard = "";
  for (const seed of seeds) {
    heard = (await complaintsOf(seed)).join("; ");
    if (!complaint.test(heard)) continue;
    console.log(`${what}: caught by seed ${seed}`);
    return;
  }
  expect(heard).toMatch(complaint);
}
