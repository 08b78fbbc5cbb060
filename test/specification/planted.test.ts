/** Tests that the comparison finds planted mistakes within a few histories. */
import { expect } from "vitest";
import { plantedTests } from "../planted/planted-tests.ts";
import { MISTAKES } from "./mistakes.ts";
import { drawn, play } from "./play.ts";

const WITHIN_HISTORIES = 100;
const OPERATIONS = 30;

plantedTests(import.meta.filename, MISTAKES, async ({ sabotage, rules, fromSeed = 1 }) => {
  let found: number | undefined;
  for (let seed = fromSeed; seed < fromSeed + WITHIN_HISTORIES && found === undefined; seed++) {
    const played = play({ next: drawn(seed, OPERATIONS), sabotage, ...(rules && { rules }) });
    // A mistake may also make the product refuse what it has to answer.
    const differs = await played.then(
      ({ disagreement }) => disagreement !== undefined,
      () => true,
    );
    if (differs) found = seed;
  }
  expect(found).toBeDefined();
});
