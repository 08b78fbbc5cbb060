/** Tests that histories on one table, with processes that come and go in virtual time, are linearizable. */
import { afterAll, expect, test } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../drawn-runs.ts";
import { written } from "./history.ts";
import { playOnOneTable } from "./one-table.ts";
import { verdictsOn } from "./verdicts.ts";

const HISTORIES = 300;
const PORTION = 25;
const totals = { histories: 0, operations: 0, unanswered: 0, mishaps: 0, undecided: 0, soleOwners: 0 };

afterAll(() => {
  console.log(JSON.stringify(totals));
  leaveFigures("histories-one-table", totals);
});

/** @returns what is wrong with the history of this seed; empty if nothing is */
async function complaintsOf(seed: number): Promise<readonly string[]> {
  const played = await playOnOneTable(seed);
  const again = `again: SEED=${seed} npm run test:histories -- one-table`;
  const { complaints, undecided, operations, unanswered } = verdictsOn(played.operations, again);
  if (ONLY_SEED !== undefined) console.log(written(played.operations));
  totals.histories += 1;
  totals.operations += operations;
  totals.unanswered += unanswered;
  totals.undecided += undecided;
  totals.mishaps += played.mishaps;
  totals.soleOwners += played.ownsStore ? 1 : 0;
  return played.isStuck ? [`clients wait for ever; ${again}`, ...complaints] : complaints;
}

const seeds = seedsToPlay(HISTORIES);
const portions = Array.from({ length: Math.ceil(seeds.length / PORTION) }, (_, at) =>
  seeds.slice(at * PORTION, (at + 1) * PORTION),
);

test.each(portions.map((portion) => ({ portion, from: portion[0], to: portion.at(-1) })))(
  "histories $from to $to are linearizable",
  async ({ portion }) => {
    const complaints: string[] = [];
    for (const seed of portion) complaints.push(...(await complaintsOf(seed)));
    expect(complaints.join("\n\n")).toBe("");
  },
);

test("nearly all histories are decided, and faults have struck", () => {
  expect(totals.undecided).toBeLessThanOrEqual(totals.histories / 100);
  if (seeds.length >= PORTION) expect(totals.mishaps).toBeGreaterThan(seeds.length);
});
