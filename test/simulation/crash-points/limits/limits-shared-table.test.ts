/** Crash points of invocations under limits, on a table that several processes share. */
import { coverageTests } from "../coverage-tests.ts";
import { EVERYWHERE, LATE_FAULTS, SKEWED_FAULTS } from "../point.ts";
import { LIMITS } from "./limits.ts";

coverageTests("shared-table", LIMITS, [...EVERYWHERE, ...SKEWED_FAULTS, ...LATE_FAULTS]);
