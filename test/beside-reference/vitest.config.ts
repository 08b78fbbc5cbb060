/** The configuration of `npm run test:beside-reference`: drawn programs on the reference's binary and on Stepwell's local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { plantedTurn } from "../planted/turn.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/beside-reference/**/*.test.ts"],
    globalSetup: ["test/beside-reference/global-setup.mjs"],
    ...IN_THREADS,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    env: { ROTATION: rotationOfRun(), ...plantedTurn("beside-reference") },
    reporters: reportersOf("beside-reference"),
  },
});
