/** The configuration of the rows on the SDKs of other languages: only through `run.mjs`, which builds their deployments. */
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
