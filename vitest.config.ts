/** How the tests of `npm test` run: one process, threads, files isolated from nothing but their own state. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/compat/**", "test/dynamodb/**", "**/node_modules/**"],
    pool: "threads",
    testTimeout: 30_000,
  },
});
