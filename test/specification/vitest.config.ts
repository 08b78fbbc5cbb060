/** How `npm run test:specification` runs: random histories through the specification and the product, in virtual time. */
import { defineConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";
import { reportersOf } from "../reporters.ts";
import { rotationOfRun } from "../rotation.ts";

export default defineConfig({
  test: {
    include: ["test/specification/**/*.test.ts"],
    env: { ROTATION: rotationOfRun() },
    pool: "threads",
    maxWorkers: 2,
    ...PATIENCE,
    reporters: reportersOf("specification"),
  },
});
