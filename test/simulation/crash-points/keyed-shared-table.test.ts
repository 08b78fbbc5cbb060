/** Crash points of what runs one at a time per key, on a table that processes share. */
import { coverageTests } from "./coverage-tests.ts";
import { KEYED_SCENARIOS } from "./keyed-scenarios.ts";

coverageTests("shared-table", KEYED_SCENARIOS);
