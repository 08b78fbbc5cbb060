/** How the tests that need nothing but npm run: as three suites, each a project of vitest, in threads on two workers. */
import { defineConfig } from "vitest/config";
import { statementProgram } from "./infra/statement-program.mjs";
import { reportersOf } from "./test/reporters.ts";

/** Suites that take minutes or packages of their own have a configuration of their own. */
const HEAVY = [
  "attacks",
  "aws",
  "e2e-aws",
  "load-aws",
  "compat",
  "dynamodb",
  "conformance",
  "crash",
  "first-command",
  "bench",
  "sdks",
  "supply-chain",
  "simulation/crash-points",
  "simulation/seeds",
];

/** Tests that start the command or a whole local process, or that measure the process which they run in. */
const PROCESSES = [
  "test/adapters/embedded/hard-kill.test.ts",
  "test/adapters/statements/process-sql.test.ts",
  "test/bad-input/**/*.test.ts",
  "test/e2e-local/**/*.test.ts",
  "test/errors/{command-line-codes,network,refused-start}.test.ts",
  "test/functions/{cli,local}/**/*.test.ts",
  "test/upgrade/**/*.test.ts",
];
const INFRA = ["test/infra/**/*.test.ts"];

const exclude = [...HEAVY.map((suite) => `test/${suite}/**`), "**/node_modules/**"];

export default defineConfig({
  define: await statementProgram(),
  test: {
    pool: "threads",
    // Of two processors vitest would leave one to itself.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: reportersOf("unit"),
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...PROCESSES, ...INFRA],
          // A worker keeps what one file has imported for the next one: most files take longer to import than to run.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: PROCESSES,
          exclude,
          globalSetup: ["test/harness/cli/bundled-command.ts"],
        },
      },
      { extends: true, test: { name: "infra", include: INFRA, exclude, isolate: false } },
    ],
  },
});
