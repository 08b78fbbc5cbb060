/** Mistakes in the extension of open invocations, which lose items weeks after a fault. */
import { expect, test } from "vitest";
import { crashPoints } from "../crash-points.ts";
import { EXTENDED } from "../days/extended.ts";
import type { Fault } from "../point.ts";
import type { Sabotage } from "../world.ts";
import { arrivalAsShortAsAcceptance, recordExtendedFirst } from "./mistakes.ts";

const [SLEEP, SIGNAL] = EXTENDED;

const PLANTED: readonly (readonly [what: string, Sabotage, typeof SLEEP, readonly Fault[], at: RegExp])[] = [
  [
    "an extension that begins with the lease record",
    recordExtendedFirst,
    SLEEP,
    ["before", "after"],
    /^table\.update inv#.* if less/,
  ],
  [
    "an arrival that lives no longer than the acceptance that its writer has read",
    arrivalAsShortAsAcceptance,
    SIGNAL,
    ["slow"],
    /^table\.put inv#.* arr#/,
  ],
];

test.each(PLANTED)("%s is caught", async (_, sabotage, scenario, faults, at) => {
  const { failures } = await crashPoints("shared-table", scenario!, { sabotage, faults, at, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/call \d+ .*(is not there|is left|was accepted 0 times|is unknown)/s);
  expect(failures[0]).not.toContain("no fault");
});
