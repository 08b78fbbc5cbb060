/** How `npm run test:crash-points` runs: the port calls of each scenario are broken one at a time, in virtual time. */
import { defineConfig } from "vitest/config";
import { longestFirst } from "../longest-first.ts";
import { reportersOf } from "../reporters.ts";

const sequencer = longestFirst([
  "/sole-owner.test.ts",
  "/keyed-shared-table.test.ts",
  "/keyed-sole-owner.test.ts",
  "/shared-table.test.ts",
]);

export default defineConfig({
  test: {
    include: ["test/simulation/crash-points/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    sequence: { sequencer },
    // A test in virtual time exceeds this time only if it hangs. The time is long, because the gate runs the suite at low
    // priority, beside other suites.
    testTimeout: 300_000,
    reporters: reportersOf("simulation"),
  },
});
