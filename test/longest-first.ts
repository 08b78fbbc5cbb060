/**
 * Orders the files of a suite, the longest first. vitest does not know which file takes longest, so it could begin that
 * file last and then wait for it.
 */
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from "vitest/node";

/** @param names the ends of the paths of files, the longest test first; the other files follow in vitest's order */
export function longestFirst(names: readonly string[]): TestSequencerConstructor {
  const placeOf = ({ moduleId }: TestSpecification): number => {
    const place = names.findIndex((name) => moduleId.endsWith(name));
    return place === -1 ? names.length : place;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
    }
  };
}
