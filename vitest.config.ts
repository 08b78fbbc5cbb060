/** How the tests of `npm test` run: in threads, all that need nothing but what npm installs. */
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

export default defineConfig({
  define: await statementProgram(),
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...HEAVY.map((suite) => `test/${suite}/**`), "**/node_modules/**"],
    pool: "threads",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: reportersOf("unit"),
  },
});
