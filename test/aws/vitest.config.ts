/** The configuration of the tests on an emulated AWS; `run.mjs` starts the emulator, and then these tests. */
import { defineConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    pool: "threads",
    // Most of the time is spent waiting for services, so files run in parallel on any number of cores.
    maxWorkers: 6,
    ...PATIENCE,
    reporters: reportersOf("aws"),
  },
});
