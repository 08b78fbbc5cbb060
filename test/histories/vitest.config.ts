/** How `npm run test:histories` runs: in one thread after the other, because one file kills processes of its own. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE, TEST_BEHIND_MAX_MS } from "../patience.ts";
import { plantedTurn } from "../planted/turn.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/histories/**/*.test.ts"],
    env: { ROTATION: rotationOfRun(), ...plantedTurn("histories") },
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    testTimeout: TEST_BEHIND_MAX_MS,
    reporters: reportersOf("histories"),
  },
});
