/** The configuration of the supply-chain tests: they run only through `run.mjs`, which installs their tools. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    pool: "threads",
    // Of two processors vitest would leave one to itself, and some tests wait for the registry.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: reportersOf("supply-chain"),
  },
});
