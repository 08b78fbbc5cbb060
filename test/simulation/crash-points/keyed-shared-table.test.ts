/** Crash points of keyed handlers, on a table that several processes share. */
import { coverageTests } from "./coverage-tests.ts";
import { KEYED_SCENARIOS } from "./keyed-scenarios.ts";
import { EVERYWHERE, LATE_FAULTS, SKEWED_FAULTS } from "./point.ts";

coverageTests("shared-table", KEYED_SCENARIOS, [...EVERYWHERE, ...SKEWED_FAULTS, ...LATE_FAULTS]);
