/** The configuration of the tests of SDKs in other languages; `run.mjs` builds their deployments and then runs these tests. */
import { defineConfig } from "vitest/config";
import { statementProgram } from "../../infra/statement-program.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await statementProgram(),
  test: {
    include: ["test/sdks/**/*.test.ts"],
    pool: "threads",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reportersOf("sdks"),
  },
});
