/** Crash points of a process that owns its store alone: its successor recovers at once what it left. */
import { coverageTests } from "./coverage-tests.ts";
import { SCENARIOS } from "./scenarios.ts";

coverageTests("sole-owner", SCENARIOS);
