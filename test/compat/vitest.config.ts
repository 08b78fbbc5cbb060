/** The configuration of `npm run test:cli`: the unmodified command line of the reference against Stepwell's local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/compat/**/*.test.ts"],
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("cli"),
  },
});
