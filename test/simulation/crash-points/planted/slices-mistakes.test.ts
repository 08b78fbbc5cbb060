/** A mistake in the slices of the sweeper's walks, which shows only if a look of a slice fails. */
import { expect } from "vitest";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { crashPoints } from "../crash-points.ts";
import { FUNCTIONS } from "../sweeper/functions.ts";
import { forgetfulSlice } from "./mistakes.ts";

const PLANTED = [{ what: "a slice that forgets the entries whose look failed", sabotage: forgetfulSlice }];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage }) => {
  const scenario = FUNCTIONS.find(({ name }) => name === "many sends whose messages are lost, and looks that fail")!;
  const hunt = { sabotage, failuresMax: 1, at: /^table\.query /, lastFirst: true } as const;
  const { failures } = await crashPoints("functions", scenario, hunt);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/call \d+ \(table\.query inv#.*label \w+ is left ready/s);
});
