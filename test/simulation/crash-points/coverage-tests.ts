/** One test for each scenario, and the sums of their figures. */
import { leaveFigures } from "../../drawn-runs.ts";
import { afterAll, describe, expect, test } from "vitest";
import { crashPoints, isWhole } from "./crash-points.ts";
import { type Fault, kills } from "./point.ts";
import type { Scenario } from "./scenarios.ts";
import type { Ownership } from "./world.ts";
import { expectNone } from "../../complaints.ts";

const ONLY_SCENARIO = process.env["CRASH_POINT"]?.split("/").slice(0, 2).join("/");

/**
 * @param faults the faults that must strike in the scenarios
 * @param least the least number of scenarios
 */
export function coverageTests(
  ownership: Ownership,
  scenarios: readonly Scenario[],
  faults: readonly Fault[],
  least = 12,
): void {
  describe(`crash points, ${ownership}`, () => {
    const total = { possible: 0, covered: 0 };
    const struck = new Map<Fault, number>();
    let crashes = 0;
    afterAll(() => {
      console.log(
        `${ownership}: ${total.covered}/${total.possible} crash points covered in all\n` +
          [...struck].map(([fault, times]) => `${fault} ${times}`).join(", "),
      );
      leaveFigures("crash-points", { scenarios: chosen.length, points: total.covered, crashes });
    });

    const chosen = scenarios.filter(
      ({ name }) => ONLY_SCENARIO === undefined || ONLY_SCENARIO === `${ownership}/${name}`,
    );
    test.skipIf(chosen.length === 0)("no scenario is missing", () => {
      expect(scenarios.length).toBeGreaterThanOrEqual(least);
    });
    test.each(chosen)("$name: ends once with the right result, whichever port call breaks", async (scenario) => {
      const { struck: times, possible, covered, failures, slowest } = await crashPoints(ownership, scenario);
      for (const [fault, more] of times) {
        struck.set(fault, (struck.get(fault) ?? 0) + more);
        if (kills(fault)) crashes += more;
      }
      total.possible += possible;
      total.covered += covered;
      const slow = `${Math.round(slowest.tookMs / 1000)} s at ${slowest.where}`;
      console.log(`${ownership}, ${scenario.name}: ${covered}/${possible}, virtually at most ${slow}`);
      expect(possible).toBeGreaterThan(0);
      expectNone(failures);
      expect(covered).toBe(possible);
    });
    test.skipIf(!isWhole)("each fault has struck", () => {
      expect(faults.filter((fault) => !struck.has(fault))).toEqual([]);
    });
  });
}
