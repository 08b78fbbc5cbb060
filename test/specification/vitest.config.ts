/**
 * How `npm run test:specification` runs: random histories through the specification and the product, in virtual time. The seeds are the
 * same at every commit, until a long run has found no disagreement any more.
 */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { plantedTurn } from "../planted/turn.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/specification/**/*.test.ts"],
    env: plantedTurn("specification"),
    ...IN_THREADS,
    maxWorkers: 2,
    ...PATIENCE,
    reporters: reportersOf("specification"),
  },
});
