/** Crash points with open exchanges: for a process that owns its store, and for processes that share a table (ADR 0008). */
import { coverageTests } from "./coverage-tests.ts";
import { EVERYWHERE } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";

/** A plain call, and handlers with several steps or with results of other invocations that come while an exchange is open. */
const WITH_STEPS: ReadonlySet<string> = new Set([
  "plain call",
  "one run",
  "five runs",
  "parallel runs",
  "sleep",
  "call of a child",
  "chain of three",
  "send",
  "awakeable",
  "cancel while sleeping",
  "retry in the driver",
  "race of three calls",
]);

const scenarios = SCENARIOS.filter(({ name }) => WITH_STEPS.has(name));
coverageTests("open-exchanges", scenarios, EVERYWHERE);
coverageTests("open-on-shared-table", scenarios, EVERYWHERE);
