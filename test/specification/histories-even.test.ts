/** Half of the histories of the specification. */
import { historyTests } from "./history-tests.ts";

historyTests(0, 2);
