/** The configuration of `npm run test:topics`: one file after the other, because each has brokers and processes of its own. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { filesOfTurn } from "../rotating-suites.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: filesOfTurn("topics"),
    fileParallelism: false,
    isolate: false,
    ...PATIENCE,
    reporters: reportersOf("topics"),
  },
});
