/** How `npm run test:planted -- rules` plants its mistakes: into functions of the engine and its adapters, by rules of a few lines each. */
import { defineConfig } from "vitest/config";
import { PATIENCE } from "../../patience.ts";
import { reportersOf } from "../../reporters.ts";
import { plantedTurn } from "../turn.ts";

export default defineConfig({
  test: {
    include: ["test/planted/rules/*.test.ts"],
    env: plantedTurn("rules"),
    pool: "threads",
    ...PATIENCE,
    reporters: reportersOf("rules"),
  },
});
