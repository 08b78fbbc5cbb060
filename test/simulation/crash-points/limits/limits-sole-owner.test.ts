/** Crash points of invocations under limits, on a store that one process owns alone. */
import { coverageTests } from "../coverage-tests.ts";
import { EVERYWHERE } from "../point.ts";
import { LIMITS } from "./limits.ts";

coverageTests("sole-owner", LIMITS, EVERYWHERE);
