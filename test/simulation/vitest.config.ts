/** How `npm run test:crash-points` runs: every port call of every scenario is broken in every way, in virtual time. */
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import { reportersOf } from "../reporters.ts";

/** Vitest cannot see which file takes longest, would begin some of these last, and would wait for one alone. */
const LONGEST_FIRST = [
  "/sole-owner.test.ts",
  "/keyed-shared-table.test.ts",
  "/keyed-sole-owner.test.ts",
  "/shared-table.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST_FIRST.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONGEST_FIRST.length : place;
    };
    return files.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    include: ["test/simulation/crash-points/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    reporters: reportersOf("simulation"),
  },
});
