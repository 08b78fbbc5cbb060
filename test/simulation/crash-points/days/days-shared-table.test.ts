/** Crash points after days on a shared table: no process runs, and the table deletes expired items. */
import { coverageTests } from "../coverage-tests.ts";
import { FAULTS } from "../point.ts";
import { EXTENDED } from "./extended.ts";
import { diedFor, slept } from "./slept.ts";

/** Less than the two weeks that open invocations outlast without a sweeper. */
const DAYS = 13;

coverageTests("shared-table", [...slept(DAYS), ...diedFor(DAYS), ...EXTENDED], FAULTS, 9);
