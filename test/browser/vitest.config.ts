/** The configuration of `npm run test:browser`: Stepwell's web UI in a real browser, over a real local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/built-in-texts.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/global-setup.mjs"],
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reportersOf("browser"),
  },
});
