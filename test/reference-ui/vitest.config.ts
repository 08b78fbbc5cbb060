/** The configuration of `npm run test:reference-ui`: the unmodified web UI of the reference over Stepwell's local process. */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/built-in-texts.mjs";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/reference-ui/**/*.test.ts"],
    globalSetup: ["test/reference-ui/global-setup.mjs"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reportersOf("reference-ui"),
  },
});
