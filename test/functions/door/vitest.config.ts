/** How `npm run test:planted -- doors` plants its mistakes; `npm run test:processes` runs the same tests, with all mistakes. */
import { defineConfig } from "vitest/config";
import { IN_THREADS } from "../../in-threads.ts";
import { PATIENCE } from "../../patience.ts";
import { plantedTurn } from "../../planted/turn.ts";
import { reportersOf } from "../../reporters.ts";

export default defineConfig({
  test: {
    include: ["test/functions/door/door.test.ts"],
    env: plantedTurn("doors"),
    ...IN_THREADS,
    ...PATIENCE,
    reporters: reportersOf("doors"),
  },
});
