/** The configuration of `npm run test:crash`: one test after the other, each with processes that it kills. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    reporters: reportersOf("crash"),
  },
});
