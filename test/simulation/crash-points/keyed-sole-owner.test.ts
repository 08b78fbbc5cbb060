/** Crash points of keyed handlers, on a store that one process owns alone. */
import { coverageTests } from "./coverage-tests.ts";
import { KEYED_SCENARIOS } from "./keyed-scenarios.ts";
import { EVERYWHERE } from "./point.ts";

coverageTests("sole-owner", KEYED_SCENARIOS, EVERYWHERE);
