/** The order in which a test with a planted mistake tries the seeds. */

/**
 * @param first the seed that caught the mistake when the test was written; if it still does, no other seed is played
 * @returns that seed, then the other seeds from 1 to `most`
 */
export function seedsToTry(first: number, most: number): readonly number[] {
  if (first > most) throw new Error(`seed ${first} is beyond the ${most} seeds of the test`);
  const all = Array.from({ length: most }, (_, at) => at + 1);
  return [first, ...all.filter((seed) => seed !== first)];
}
