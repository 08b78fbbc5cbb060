/** The configuration of `npm run test:attacks`: one attack after the other, each on its own server process. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/attacks/**/*.test.ts"],
    globalSetup: ["test/attacks/global-setup.mjs"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: reportersOf("attacks"),
  },
});
