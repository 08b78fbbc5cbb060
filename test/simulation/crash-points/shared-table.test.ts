/** Crash points on a shared table: nobody knows who died, so leases run out, and messages or the sweeper find what was left. */
import { coverageTests } from "./coverage-tests.ts";
import { SCENARIOS } from "./scenarios.ts";

coverageTests("shared-table", SCENARIOS);
