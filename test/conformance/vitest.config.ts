/**
 * The configuration of `npm run test:conformance`: the real SDK against a real control plane, in the combinations of protocol
 * version, HTTP version and openness of attempts that `combinations.ts` lists.
 */
import { defineConfig } from "vitest/config";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { IN_THREADS } from "../in-threads.ts";
import { longestFirst } from "../longest-first.ts";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";

export default defineConfig({
  define: await builtInTexts(),
  test: {
    include: ["test/conformance/**/*.test.ts"],
    ...IN_THREADS,
    // Each file has its own deployments and control planes, and spends half of its time waiting.
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(["/large.test.ts", "/programming-model.test.ts"]) },
    ...PATIENCE,
    reporters: reportersOf("conformance"),
  },
});
