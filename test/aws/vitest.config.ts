/** The configuration of the tests on an emulated AWS; `run.mjs` starts the emulator, and then these tests. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    ...IN_THREADS,
    // Most of the time is spent waiting for services, so files run in parallel on any number of cores.
    maxWorkers: 6,
    ...PATIENCE,
    // The tests live by the emulator's clock: messages reappear and schedules fire after seconds. A machine that stands still for longer than
    // a test's margin spoils that test, so it is repeated; a wrong adapter fails every time.
    retry: 3,
    reporters: reportersOf("aws"),
  },
});
