/** Configures the tests that need only npm: six projects of vitest, which run in threads on two workers. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "./infra/build/built-in-texts.mjs";
import { IN_THREADS } from "./test/in-threads.ts";
import { longestFirst } from "./test/longest-first.ts";
import { PATIENCE } from "./test/patience.ts";
import { reportersOf } from "./test/reporters.ts";
import { rotationOfRun } from "./test/rotation.ts";

/** Suites that take minutes or need further packages; other configurations or scripts run them. */
const HEAVY = [
  "attacks",
  "aws",
  "beside-reference",
  "e2e-aws",
  "load-aws",
  "compat",
  "dynamodb",
  "conformance",
  "crash",
  "first-command",
  "histories",
  "bench",
  "browser",
  "planted",
  "reference-ui",
  "sdks",
  "supply-chain",
  "simulation/crash-points",
  "simulation/places",
  "simulation/seeds",
  "simulation/tickets",
  "simulation/topics",
  "specification",
  "topics",
];

/** Tests that start the command or a whole local process, or that measure their own process. */
const PROCESSES = [
  "test/adapters/embedded/hard-kill.test.ts",
  "test/adapters/statements/*.test.ts",
  "test/bad-input/**/*.test.ts",
  "test/docs/guides/*.test.ts",
  "test/e2e-local/**/*.test.ts",
  "test/errors/{command-line-codes,network,refused-start}.test.ts",
  "test/functions/{cli,door,local}/**/*.test.ts",
];
/** Tests of `processes` about what a process loads, or with a replaced package: no other test may have loaded anything before. */
const FRESH_MODULES = ["test/functions/{door/loopback,local/untraced}.test.ts"];
/** Tests with tens of thousands of invocations or many megabytes. */
const SCALE = [
  "test/engine/*/{contention,inbox-bound,list-invocations}.test.ts",
  "test/engine/sweep/{seldom,slices}.test.ts",
];
/** The longest tests of `infra` (14 s), then those of `quick` (9 s) and `processes` (35 to 17 s). */
const LONGEST = [
  "/docs/costs.test.ts",
  "/sweep/cut-short.test.ts",
  "/races/retention.test.ts",
  "/find-deployments.test.ts",
  "/local/tracing.test.ts",
  "/bad-input/ingress.test.ts",
  "/statements/streamed-answers.test.ts",
  "/changed-code.test.ts",
  "/refused-start.test.ts",
  "/operators-registration.test.ts",
];
/** Tests of the house rules over the whole tree, which `npm run check` runs. */
const ARCHITECTURE = ["test/architecture/**/*.test.ts"];
/** Tests that synthesise the stack, which takes seconds in each worker. */
const INFRA = ["test/infra/**/*.test.ts", "test/docs/{ceilings,costs,hardening-policies,operating}.test.ts"];

const exclude = [...HEAVY.map((suite) => `test/${suite}/**`), "**/node_modules/**"];

export default defineConfig({
  define: await builtInTexts(),
  test: {
    ...IN_THREADS,
    // On a machine with two processors, vitest would start one worker by default.
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(LONGEST) },
    ...PATIENCE,
    reporters: reportersOf("unit"),
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...ARCHITECTURE, ...PROCESSES, ...INFRA, ...SCALE],
          // A worker keeps the imports of one file for the next file: most files take longer to import than to run.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: PROCESSES,
          exclude: [...exclude, ...FRESH_MODULES],
          globalSetup: ["test/harness/cli/bundled-command.ts"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "fresh-modules", include: FRESH_MODULES, exclude } },
      {
        extends: true,
        test: {
          name: "scale",
          include: SCALE,
          exclude,
          isolate: false,
          // The tests of places send all at one commit in four.
          env: { ROTATION: rotationOfRun() },
        },
      },
      { extends: true, test: { name: "architecture", include: ARCHITECTURE, exclude, isolate: false } },
      { extends: true, test: { name: "infra", include: INFRA, exclude, isolate: false } },
    ],
  },
});
