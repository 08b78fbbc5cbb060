/** The configuration of `npm run test:reference-ui`: the unmodified web UI of the reference over Stepwell's local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/reference-ui/**/*.test.ts"],
    globalSetup: ["test/reference-ui/global-setup.mjs"],
    env: { ROTATION: rotationOfRun() },
    ...IN_THREADS,
    fileParallelism: false,
    ...PATIENCE,
    reporters: reportersOf("reference-ui"),
  },
});
