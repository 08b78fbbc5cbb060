/** Checks that a crash point shows a planted mistake, and that a run without faults does not. */
import { expect } from "vitest";
import { crashPoints, type Hunt } from "./crash-points.ts";
import type { Scenario } from "./scenarios.ts";

export async function expectCaughtAtAPoint(scenario: Scenario, complaint: RegExp, hunt: Hunt): Promise<void> {
  const { failures } = await crashPoints("shared-table", scenario, { ...hunt, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
  // The mistake shows only under a fault.
  expect(failures[0]).not.toContain("no fault");
}
