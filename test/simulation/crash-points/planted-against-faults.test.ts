/** Tests the faults: each planted mistake passes a run without faults, and a run with the faults listed beside it catches it. */
import { expect } from "vitest";
import type { Updated, Written } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { trustedMoments, unseenSleepers } from "../../planted/mistakes.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { crashPoints } from "./crash-points.ts";
import { DAY_LATE, type Fault, NEVER_FIRES, REPEATED, THROTTLED } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Sabotage } from "./world.ts";

/** A driver does not recognise its own lease record if the answer to its write was lost, and the repeated write is refused. */
const unknownHold: Sabotage = (engine) => {
  const { table } = engine;
  const ofAnother = <Outcome extends Written | Updated>(sk: string, outcome: Outcome): Outcome => {
    if (outcome.written || outcome.existing === undefined || !sk.startsWith("hold#")) return outcome;
    return acting({ ...outcome, existing: { ...outcome.existing, token: "another driver" } });
  };
  return withTable(engine, {
    put: async (item, condition) => ofAnother(item.sk, await table.put(item, condition)),
    update: async (key, update, condition) => ofAnother(key.sk, await table.update(key, update, condition)),
  });
};

/** A refused schedule counts as set. */
const unsetSchedules: Sabotage = (engine) => ({
  ...engine,
  timers: {
    at: (timer) => engine.timers.at(timer).catch(() => acting(undefined)),
    cancel: (name) => engine.timers.cancel(name),
  },
});

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly faults: readonly Fault[];
  readonly scenario: string;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}[] = [
  {
    what: "a lease record that its writer does not recognise",
    sabotage: unknownHold,
    faults: [REPEATED],
    scenario: "far sleep by a timer",
    complaint: /until all was quiet/,
  },
  {
    what: "a refused schedule that counts as set",
    sabotage: unsetSchedules,
    faults: [THROTTLED],
    scenario: "far sleep by a timer",
    complaint: /until all was quiet/,
  },
  {
    what: "a sweeper that does not see sleepers",
    sabotage: unseenSleepers,
    faults: [NEVER_FIRES],
    scenario: "far sleep by a timer",
    complaint: /nap \w+ is left suspended/,
  },
  {
    what: "a worker that trusts the moment in a message",
    sabotage: trustedMoments,
    faults: [DAY_LATE],
    scenario: "send",
    complaint: /something is left to do/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, faults, scenario: name, complaint }) => {
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const { failures } = await crashPoints("shared-table", scenario, { sabotage, faults, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
  // The mistake shows only under the fault.
  expect(failures[0]).not.toContain("no fault");
});
