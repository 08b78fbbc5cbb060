/** Crash points of a process that owns its store alone: its successor recovers its open invocations at once. */
import { coverageTests } from "./coverage-tests.ts";
import { EVERYWHERE, NEVER_FIRES } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";

coverageTests("sole-owner", SCENARIOS, [...EVERYWHERE, NEVER_FIRES]);
