/** The configuration of the supply-chain tests: they run only through `run.mjs`, which installs their tools. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE, TEST_BEHIND_MAX_MS } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    ...IN_THREADS,
    // On two processors vitest runs one test file at a time by default, although some tests only wait for the registry.
    maxWorkers: 2,
    ...PATIENCE,
    testTimeout: TEST_BEHIND_MAX_MS,
    reporters: reportersOf("supply-chain"),
  },
});
