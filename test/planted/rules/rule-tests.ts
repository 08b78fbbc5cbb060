/** Tests of a rule and of mistakes against it: without a mistake there is no complaint, and with each of them there is one. */
import { expect, test } from "vitest";
import { plantedTests } from "../planted-tests.ts";

/** The mistake that is planted now, by its name in the catalogue. Replaced functions look here at each call. */
export interface Planted {
  now: string;
}

/**
 * @param path `import.meta.filename` of the file of tests
 * @param complaints plays the rule, and says what is wrong
 */
export function ruleTests(
  path: string,
  planted: Planted,
  names: readonly string[],
  complaints: () => Promise<readonly string[]>,
): void {
  test("without a mistake there is nothing to complain about", async () => {
    expect(await complaints()).toEqual([]);
  });
  plantedTests(
    path,
    names.map((what) => ({ what })),
    async ({ what }) => {
      planted.now = what;
      try {
        expect(await complaints()).not.toEqual([]);
      } finally {
        planted.now = "";
      }
    },
  );
}
