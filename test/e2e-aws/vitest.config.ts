/**
 * The configuration of the suite on emulated AWS, which runs only by `npm run localstack -- --test`. Each worker has its own
 * emulator, and runs one file after the other on the stacks there.
 */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { longestFirst } from "../longest-first.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { filesOfTurn, longestOf } from "../rotating-suites.ts";

const emulators = JSON.parse(process.env["STEPWELL_E2E_EMULATORS"] ?? "[]") as readonly unknown[];

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: filesOfTurn("e2e-aws"),
    globalSetup: ["test/e2e-aws/global-setup.mjs"],
    setupFiles: ["test/e2e-aws/own-emulator.ts"],
    ...IN_THREADS,
    maxWorkers: Math.max(emulators.length, 1),
    sequence: { sequencer: longestFirst(longestOf("e2e-aws")) },
    ...PATIENCE,
    reporters: reportersOf("e2e-aws"),
  },
});
