/** How `npm run test:conformance` runs: the real SDK against a real control plane, combination after combination. */
import { defineConfig } from "vitest/config";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/conformance/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: reportersOf("conformance"),
  },
});
