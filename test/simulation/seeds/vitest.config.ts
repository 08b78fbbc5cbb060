/** How `npm run test:simulation` runs: the seeds in two threads, in virtual time. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/simulation/seeds/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    reporters: reportersOf("seeds"),
  },
});
