/** The configuration of the tests on a DynamoDB engine: they run only through `run.mjs`, which starts the engine. */
import { defineConfig } from "vitest/config";
import { statementProgram } from "../../infra/statement-program.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await statementProgram(),
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    pool: "threads",
    // On two processors vitest would start one worker only. Two may run at once, because each test has tables of its own.
    maxWorkers: 2,
    testTimeout: 60_000,
    reporters: reportersOf("dynamodb"),
  },
});
