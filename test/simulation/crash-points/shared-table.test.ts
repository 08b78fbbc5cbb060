/** Crash points on a shared table: leases of dead processes run out, and messages or the sweeper find the open invocations. */
import { coverageTests } from "./coverage-tests.ts";
import { EVERYWHERE, NEVER_FIRES, SKEWED_FAULTS } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";

coverageTests("shared-table", SCENARIOS, [...EVERYWHERE, ...SKEWED_FAULTS, NEVER_FIRES]);
