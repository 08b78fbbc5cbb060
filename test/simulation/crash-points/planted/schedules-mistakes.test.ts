/** Mistakes in schedules: a tick that is lost between two writes, and an end that no schedule learns of. */
import { expect } from "vitest";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { crashPoints } from "../crash-points.ts";
import { SCHEDULES } from "../operations/schedules.ts";
import type { Sabotage } from "../world.ts";
import { endUnnoted, scheduleMovedFirst } from "./mistakes.ts";

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly scenario: string;
  readonly at: RegExp;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}[] = [
  {
    what: "a schedule that moves on before its tick is accepted",
    sabotage: scheduleMovedFirst,
    scenario: "three ticks of a schedule",
    at: /^table\.(put inv#.+ seg#000000|update schedules)/,
    complaint: /call \d+ .*one was accepted [012] times/s,
  },
  {
    what: "a schedule that does not learn that its run has ended",
    sabotage: endUnnoted,
    scenario: "ticks that wait for each other",
    at: /^table\.update schedules/,
    complaint: /no fault: .*something is left to do/s,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, scenario, at, complaint }) => {
  const found = SCHEDULES.find(({ name }) => name === scenario)!;
  const { failures } = await crashPoints("shared-table", found, { sabotage, failuresMax: 1, at });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
});
