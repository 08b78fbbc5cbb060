/** Crash points of schedules in functions, as on AWS: requests, workers, and passes of the sweeper. */
import { coverageTests } from "../coverage-tests.ts";
import { FAULTS, THROTTLED } from "../point.ts";
import { SCHEDULES } from "./schedules.ts";

coverageTests("functions", SCHEDULES, [...FAULTS, THROTTLED], 3);
