/** How `npm run test:planted -- rules` plants its mistakes: into functions of the engine and its adapters, by rules of a few lines each. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../../in-threads.ts";
import { PATIENCE } from "../../patience.ts";
import { reportersOf } from "../../reporters.ts";
import { plantedTurn } from "../turn.ts";

export default defineConfig({
  test: {
    include: ["test/planted/rules/*.test.ts"],
    env: plantedTurn("rules"),
    ...IN_THREADS,
    ...PATIENCE,
    reporters: reportersOf("rules"),
  },
});
