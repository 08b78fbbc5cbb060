/** How `npm run test:simulation` runs: the seeds and the model of the tickets in two threads, in virtual time. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/simulation/{seeds,tickets}/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    // A test in virtual time exceeds this time only if it hangs. The time is long, because the gate runs the suite at low
    // priority, beside other suites.
    testTimeout: 600_000,
    reporters: reportersOf("seeds"),
  },
});
