/** How `npm run test:crash-points` runs: the port calls of each scenario are broken one at a time, in virtual time. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { longestFirst } from "../longest-first.ts";
import { PATIENCE, TEST_BEHIND_MAX_MS } from "../patience.ts";
import { plantedTurn } from "../planted/turn.ts";
import { reportersOf } from "../reporters.ts";
import { filesOfTurn, longestOf } from "../rotating-suites.ts";

export default defineConfig({
  test: {
    include: filesOfTurn("crash-points"),
    env: plantedTurn("crash-points"),
    ...IN_THREADS,
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(longestOf("crash-points")) },
    ...PATIENCE,
    testTimeout: TEST_BEHIND_MAX_MS,
    reporters: reportersOf("simulation"),
  },
});
