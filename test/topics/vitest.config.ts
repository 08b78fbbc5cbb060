/** The configuration of `npm run test:topics`: one file after the other, because each has brokers and processes of its own. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/built-in-texts.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/topics/**/*.test.ts"],
    fileParallelism: false,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: reportersOf("topics"),
  },
});
