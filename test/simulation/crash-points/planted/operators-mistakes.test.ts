/** Mistakes in operators' acts, each of which a scenario shows: most only at a crash point. */
import { expect } from "vitest";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { crashPoints } from "../crash-points.ts";
import { EDITS } from "../operations/edits.ts";
import { FORGETS } from "../operations/forgets.ts";
import { UNSTARTED } from "../operations/unstarted.ts";
import type { Scenario } from "../scenarios.ts";
import type { Ownership, Sabotage } from "../world.ts";
import { dropBeforeBareEnd, editComparedAgain, keptInput, lateBeginning, markTakenForErased } from "./mistakes.ts";

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly ownership: Ownership;
  readonly scenario: string;
  readonly at: RegExp;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}[] = [
  {
    what: "an edit that compares the state again after it has begun",
    sabotage: editComparedAgain,
    ownership: "shared-table",
    scenario: "state edited twice, the second time for the state of the first",
    at: /^table\.put obj#/,
    complaint: /call \d+ .*the state of k is/s,
  },
  {
    what: "a restart that writes the acceptance before the beginning that it keeps",
    sabotage: lateBeginning,
    ownership: "shared-table",
    scenario: "restarted from the middle of its journal",
    at: /^table\.put inv#.+ seg#/,
    complaint: /call \d+ .*does not begin with the entries of/,
  },
  {
    what: "a drop of the journal that deletes before it replaces the end",
    sabotage: dropBeforeBareEnd,
    ownership: "shared-table",
    scenario: "the journal is dropped by hand, and others attach",
    at: /^table\.(put|delete) inv#/,
    // The table of the run sees the order of the writes, so this mistake needs no fault.
    complaint: /no fault: a segment was changed: delete/,
  },
  {
    what: "an end before the first attempt that keeps its input",
    sabotage: keptInput,
    ownership: "sole-owner",
    scenario: "killed while it waits for its start",
    at: /^table\.update inv#/,
    complaint: /no fault: .*never began, and its input is kept/s,
  },
  {
    what: "an erasure whose mark is taken for its end",
    sabotage: markTakenForErased,
    ownership: "functions",
    scenario: "killed before its first attempt, hints lost",
    at: /^table\.(delete|update) inv#/,
    complaint: /call \d+ .*keeps the content of what never began/s,
  },
];

const scenarioOf = (name: string): Scenario => [...EDITS, ...FORGETS, ...UNSTARTED].find((one) => one.name === name)!;

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, ownership, scenario, at, complaint }) => {
  const { failures } = await crashPoints(ownership, scenarioOf(scenario), { sabotage, failuresMax: 1, at });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
});
