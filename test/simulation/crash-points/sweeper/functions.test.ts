/** Crash points of functions in bounded time, as on AWS: workers, the sweeper's passes, and the slices of its walks. */
import { coverageTests } from "../coverage-tests.ts";
import { FAULTS, THROTTLED, TIME_IS_UP, UNREADABLE } from "../point.ts";
import { FUNCTIONS } from "./functions.ts";

coverageTests("functions", FUNCTIONS, [...FAULTS, THROTTLED, TIME_IS_UP, UNREADABLE, "stale"], 11);
