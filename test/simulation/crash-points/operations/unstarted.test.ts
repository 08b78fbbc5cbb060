/** Crash points of the erasure of what never started: by functions in bounded time, by processes of a shared table, and by a sole owner. */
import { coverageTests } from "../coverage-tests.ts";
import { EVERYWHERE, FAULTS, SKEWED_FAULTS, THROTTLED, TIME_IS_UP } from "../point.ts";
import { UNSTARTED } from "./unstarted.ts";

coverageTests("functions", UNSTARTED, [...FAULTS, THROTTLED, TIME_IS_UP], UNSTARTED.length);
coverageTests("shared-table", UNSTARTED, [...EVERYWHERE, ...SKEWED_FAULTS], UNSTARTED.length);
coverageTests("sole-owner", UNSTARTED, EVERYWHERE, UNSTARTED.length);
