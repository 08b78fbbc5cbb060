/** Crash points of operators' acts and of handlers that talk with others, on a store that one process owns alone. */
import { coverageTests } from "../coverage-tests.ts";
import { EVERYWHERE } from "../point.ts";
import { EDITS } from "./edits.ts";
import { FORGETS } from "./forgets.ts";
import { ORDERS } from "./orders.ts";
import { SCHEDULES } from "./schedules.ts";
import { TALKS } from "./talks.ts";

coverageTests("sole-owner", [...EDITS, ...FORGETS, ...ORDERS, ...SCHEDULES, ...TALKS], EVERYWHERE);
