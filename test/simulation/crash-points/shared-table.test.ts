/** Crash points on a shared table: nobody knows who died, so leases run out, and messages or the sweeper find what was left. */
import { coverageTests } from "./coverage-tests.ts";
import { EVERYWHERE, NEVER_FIRES, SKEWED_FAULTS } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";

coverageTests("shared-table", SCENARIOS, [...EVERYWHERE, ...SKEWED_FAULTS, NEVER_FIRES]);
