/** The configuration of the load test on an emulated AWS: one test file, which runs only through `npm run test:load-aws`. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/load-aws/**/*.test.ts"],
    globalSetup: ["test/load-aws/global-setup.mjs"],
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    // The load itself may take an hour.
    testTimeout: 7_200_000,
    reporters: reportersOf("load-aws"),
  },
});
