/** The configuration of `npm run test:crash`: one test after the other, each with processes that it kills. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    env: { ROTATION: rotationOfRun() },
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("crash"),
  },
});
