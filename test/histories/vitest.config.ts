/** How `npm run test:histories` runs: in one thread after the other, because one file kills processes of its own. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/built-in-texts.mjs";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/histories/**/*.test.ts"],
    env: { ROTATION: rotationOfRun() },
    pool: "threads",
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    reporters: reportersOf("histories"),
  },
});
