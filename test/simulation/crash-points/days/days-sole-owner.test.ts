/** Crash points of a process that owns its store and is off for days: it deletes expired items only after it has looked at all. */
import { coverageTests } from "../coverage-tests.ts";
import { FAULTS, THROTTLED } from "../point.ts";
import { diedFor, slept } from "./slept.ts";

/** More than the two days and the retention for which items are kept. */
const DAYS = 8;

coverageTests("sole-owner", [...slept(DAYS), ...diedFor(DAYS)], [...FAULTS, THROTTLED], 7);
