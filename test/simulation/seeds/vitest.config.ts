/** How `npm run test:simulation` runs: the seeds, the model of the tickets and the search of the places in two threads, in virtual time. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../../in-threads.ts";
import { PATIENCE, TEST_BEHIND_MAX_MS } from "../../patience.ts";
import { plantedTurn } from "../../planted/turn.ts";
import { reportersOf } from "../../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/simulation/{places,seeds,tickets,topics}/**/*.test.ts"],
    env: plantedTurn("seeds"),
    ...IN_THREADS,
    maxWorkers: 2,
    ...PATIENCE,
    testTimeout: TEST_BEHIND_MAX_MS,
    reporters: reportersOf("seeds"),
  },
});
