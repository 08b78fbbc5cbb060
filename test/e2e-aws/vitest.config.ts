/**
 * The configuration of the suite on emulated AWS, which runs only by `npm run localstack -- --test`. Each worker has its own
 * emulator, and runs one file after the other on the stacks there.
 */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/built-in-texts.mjs";
import { longestFirst } from "../longest-first.ts";
import { reportersOf } from "../reporters.ts";

const emulators = JSON.parse(process.env["STEPWELL_E2E_EMULATORS"] ?? "[]") as readonly unknown[];

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/e2e-aws/**/*.test.ts"],
    globalSetup: ["test/e2e-aws/global-setup.mjs"],
    setupFiles: ["test/e2e-aws/own-emulator.ts"],
    pool: "threads",
    maxWorkers: Math.max(emulators.length, 1),
    sequence: {
      sequencer: longestFirst([
        "/try.test.ts",
        "/restored.test.ts",
        "/losses.test.ts",
        "/attacks.test.ts",
        "/slow-lane.test.ts",
      ]),
    },
    testTimeout: 120_000,
    hookTimeout: 240_000,
    reporters: reportersOf("e2e-aws"),
  },
});
