/** How the tests on an emulated AWS run: as all others, but only through `run.mjs`, which starts it. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    pool: "threads",
    // Services are waited for in real time, so that files gain from running beside each other whatever the cores.
    maxWorkers: 6,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reportersOf("aws"),
  },
});
