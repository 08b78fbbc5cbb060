/** The configuration of `npm run test:browser`: Stepwell's web UI in a real browser, over a real local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { longestFirst } from "../longest-first.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { filesOfTurn, longestOf } from "../rotating-suites.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: filesOfTurn("browser"),
    globalSetup: ["test/browser/global-setup.mjs"],
    ...IN_THREADS,
    // A worker keeps the imports of one file for the next file.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(longestOf("browser")) },
    ...PATIENCE,
    reporters: reportersOf("browser"),
  },
});
