/**
 * The configuration of the suite on an emulated AWS: one file after the other over the same stacks, only by `npm run localstack
 * -- --test`.
 */
import { defineConfig } from "vitest/config";
import { statementProgram } from "../../infra/statement-program.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await statementProgram(),
  test: {
    include: ["test/e2e-aws/**/*.test.ts"],
    globalSetup: ["test/e2e-aws/global-setup.mjs"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    reporters: reportersOf("e2e-aws"),
  },
});
