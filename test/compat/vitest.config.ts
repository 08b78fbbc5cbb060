/** The configuration of `npm run test:cli`: the unmodified command line of the reference against Stepwell's local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/compat/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("cli"),
  },
});
