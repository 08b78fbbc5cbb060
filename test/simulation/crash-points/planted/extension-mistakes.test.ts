/** Mistakes in the extension of open invocations, which lose items weeks after a fault. */
import { plantedTests } from "../../../planted/planted-tests.ts";
import { expectCaughtAtAPoint } from "../caught-at-a-point.ts";
import { EXTENDED } from "../days/extended.ts";
import type { Fault } from "../point.ts";
import type { Sabotage } from "../world.ts";
import { arrivalAsShortAsAcceptance, recordExtendedFirst } from "./mistakes.ts";

const [SLEEP, SIGNAL] = EXTENDED;

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly scenario: typeof SLEEP;
  readonly faults: readonly Fault[];
  readonly at: RegExp;
}[] = [
  {
    what: "an extension that begins with the lease record",
    sabotage: recordExtendedFirst,
    scenario: SLEEP,
    faults: ["before", "after"],
    at: /^table\.update inv#.* if less/,
  },
  {
    what: "an arrival that lives no longer than the acceptance that its writer has read",
    sabotage: arrivalAsShortAsAcceptance,
    scenario: SIGNAL,
    faults: ["slow"],
    at: /^table\.put inv#.* arr#/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, scenario, faults, at }) => {
  await expectCaughtAtAPoint(scenario!, /call \d+ .*(is not there|is left|was accepted 0 times|is unknown)/s, {
    sabotage,
    faults,
    at,
  });
});
