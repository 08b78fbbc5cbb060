/** Crash points of operators' acts and of handlers that talk with others, on a table that several processes share. */
import { coverageTests } from "../coverage-tests.ts";
import { EVERYWHERE, SKEWED_FAULTS } from "../point.ts";
import { EDITS } from "./edits.ts";
import { FORGETS } from "./forgets.ts";
import { ORDERS } from "./orders.ts";
import { SCHEDULES } from "./schedules.ts";
import { TALKS } from "./talks.ts";

coverageTests(
  "shared-table",
  [...EDITS, ...FORGETS, ...ORDERS, ...SCHEDULES, ...TALKS],
  [...EVERYWHERE, ...SKEWED_FAULTS],
);
