/** Half of the histories of the specification. */
import { historyTests } from "./history-tests.ts";

historyTests(1, 2);
