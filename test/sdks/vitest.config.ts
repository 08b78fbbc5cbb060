/** The configuration of the tests of SDKs in other languages; `run.mjs` builds their deployments and then runs these tests. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/sdks/**/*.test.ts"],
    ...IN_THREADS,
    ...PATIENCE,
    reporters: reportersOf("sdks"),
  },
});
