/** The configuration of `npm run test:crash`: one test after the other, each with processes that it kills. */
import { defineConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    env: { ROTATION: rotationOfRun() },
    pool: "threads",
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("crash"),
  },
});
