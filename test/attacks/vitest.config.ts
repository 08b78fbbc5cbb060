/** The configuration of `npm run test:attacks`: one attack after the other, each on its own server process. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  test: {
    include: ["test/attacks/**/*.test.ts"],
    globalSetup: ["test/attacks/global-setup.mjs"],
    env: { ROTATION: rotationOfRun() },
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("attacks"),
  },
});
