/** How `npm run test:crash-points` runs: every port call of every scenario is broken in every way, in virtual time. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/simulation/crash-points/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 30_000,
    reporters: reportersOf("simulation"),
  },
});
