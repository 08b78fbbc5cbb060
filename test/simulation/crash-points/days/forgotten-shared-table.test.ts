/** Crash points after the retention on a shared table, which deletes expired items one by one. */
import { coverageTests } from "../coverage-tests.ts";
import { EXPIRIES, FAULTS } from "../point.ts";
import { FORGOTTEN } from "./forgotten.ts";

coverageTests("shared-table", FORGOTTEN, [...EXPIRIES, ...FAULTS], 6);
