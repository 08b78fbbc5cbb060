/** A mistake that shows if a shared table deletes the expired items of a workflow in a certain order. */
import { expect } from "vitest";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { crashPoints } from "../crash-points.ts";
import { FORGOTTEN } from "../days/forgotten.ts";
import { endlessPromise } from "./mistakes.ts";

const PLANTED = [{ what: "a promise of a forgotten run that still counts", sabotage: endlessPromise }];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage }) => {
  const scenario = FORGOTTEN.find(({ name }) => name === "another run of a workflow that is forgotten")!;
  const { failures } = await crashPoints("shared-table", scenario, { sabotage, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/call \d+ .*item-expires: .*go \w+ ended with failed 409.*the state of w is phase=/s);
});
