/** The configuration of the tests on a DynamoDB engine: they run only through `run.mjs`, which starts the engine. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    ...IN_THREADS,
    // A worker keeps the imports of one file for the next file.
    isolate: false,
    // On two processors vitest would start only one worker. Two may run at once, because no two files of tests share a table.
    maxWorkers: 2,
    ...PATIENCE,
    reporters: reportersOf("dynamodb"),
  },
});
