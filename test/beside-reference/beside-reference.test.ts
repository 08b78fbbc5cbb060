/** Plays drawn programs on the reference's binary and on Stepwell's local process, and compares everything that clients and operators see. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../drawn-runs.ts";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import { Beside, type Compared } from "./beside.ts";
import { shownFound } from "./compare.ts";
import { DIFFERENCES, type Difference } from "./differences.ts";
import { drawScene } from "./draw-scene.ts";
import { commandsOf, entriesOf } from "./figures.ts";
import { KINDS, type Scene } from "./program.ts";
import { shownScene, shrink } from "./shrink.ts";
import { expectNone } from "../complaints.ts";

/** The programs of all commits together; each commit plays one of the parts. */
const SEEDS = 5_000;
const PARTS = 25;
/** So many programs run at the same time on each server. */
const BATCH = 25;
/** A batch takes some ten seconds on a busy machine. */
const BATCH_WITHIN_MS = 600_000;
/** So many programs show every row of the table. */
const SEEDS_FOR_ALL = 1_500;
/** Each is played again some twenty times until it is small. */
const SHRUNK_MAX = 3;
const COMMAND = "npm run test:beside-reference";

const isChosen = ["SEED", "SEEDS", "SEED_FROM"].some((name) => process.env[name] !== undefined);
const programs = Array.from({ length: SEEDS }, (_, at) => at + 1);
const seeds = isChosen ? seedsToPlay(SEEDS / PARTS) : itemsOfTurn(programs, PARTS);
const batches = Array.from({ length: Math.ceil(seeds.length / BATCH) }, (_, at) =>
  seeds.slice(at * BATCH, (at + 1) * BATCH),
);

let beside: Beside;
const applied = new Map<Difference, number>();
const figures: Record<string, number> = { programs: 0, invocations: 0, commands: 0, entriesCompared: 0 };
let shrunk = 0;

beforeAll(async () => {
  beside = await Beside.open();
});
afterAll(async () => {
  await beside?.stop();
  for (const [at, row] of DIFFERENCES.entries()) figures[`difference${at + 1}`] = applied.get(row) ?? 0;
  leaveFigures("beside-reference", figures);
  if (!isChosen) tellRotation("beside-reference", "programs", seeds.length, SEEDS);
  console.log(
    Object.entries(figures)
      .map(([name, count]) => `${name} ${count}`)
      .join(", "),
  );
});

test.each(batches.map((batch) => ({ batch, from: batch[0], to: batch.at(-1) })))(
  "the programs of the seeds $from to $to look the same on both servers",
  async ({ batch }) => {
    const complaints: string[] = [];
    for (const [at, one] of (await beside.compare(batch.map(drawScene))).entries()) {
      count(one);
      if (ONLY_SEED !== undefined) console.log(shownScene(one.scene), JSON.stringify([one.ours, one.theirs], null, 1));
      if (one.found.length > 0) complaints.push(await complaintOf(batch[at]!, one));
    }
    expectNone(complaints);
  },
  BATCH_WITHIN_MS,
);

// A shorter run has no such test, because a gate counts what is skipped.
if (seeds.length >= SEEDS_FOR_ALL)
  test("each difference of the table has been seen", () => {
    expect(DIFFERENCES.filter((row) => !applied.has(row)).map(({ what }) => what)).toEqual([]);
  });

function count({ scene, ours, applied: rows }: Compared): void {
  const add = (name: string, more: number) => (figures[name] = (figures[name] ?? 0) + more);
  add("programs", 1);
  for (const kind of KINDS) add(`programs ${kind}`, scene.kind === kind ? 1 : 0);
  add("invocations", Object.keys(ours["invocations"] as object).length);
  add("commands", commandsOf(ours));
  add("entriesCompared", entriesOf(ours));
  for (const [row, times] of rows) applied.set(row, (applied.get(row) ?? 0) + times);
}

async function complaintOf(seed: number, one: Compared): Promise<string> {
  const again = shrunk++ < SHRUNK_MAX ? await smallestOf(one.scene) : undefined;
  const { scene, found } = again ?? one;
  return [
    `seed ${seed} differs:`,
    shownScene(scene),
    ...found.slice(0, 8).map(shownFound),
    ...(again === undefined ? ["(it was not played again)"] : []),
    `again: SEED=${seed} ${COMMAND}`,
  ].join("\n");
}

/** @returns undefined if the scene no longer differs when it is played again */
async function smallestOf(scene: Scene): Promise<Compared | undefined> {
  let last: Compared | undefined;
  await shrink(scene, async (scenes) => {
    const compared = await beside.compare(scenes);
    last = compared.find(({ found }) => found.length > 0) ?? last;
    return compared.map(({ found }) => found.length > 0);
  });
  return last ?? (await beside.compare([scene])).find(({ found }) => found.length > 0);
}
