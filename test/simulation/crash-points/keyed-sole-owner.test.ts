/** Crash points of what runs one at a time per key, on a store that its process owns alone. */
import { coverageTests } from "./coverage-tests.ts";
import { KEYED_SCENARIOS } from "./keyed-scenarios.ts";
import { EVERYWHERE } from "./point.ts";

coverageTests("sole-owner", KEYED_SCENARIOS, EVERYWHERE);
