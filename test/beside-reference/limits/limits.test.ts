/** Plays drawn rules and loads on the reference's binary and on Stepwell's local process, and compares who runs and who waits. */
import { afterAll, beforeAll, test } from "vitest";
import { leaveFigures, ONLY_SEED, seedsToPlay } from "../../drawn-runs.ts";
import { itemsOfTurn, tellRotation } from "../../rotation.ts";
import { expectNone } from "../../complaints.ts";
import { LimitsBeside } from "./limits-beside.ts";

/** The scenes of all commits together; each commit plays one of the parts. */
const SEEDS = 400;
const PARTS = 50;
const COMMAND = "npm run test:beside-reference -- limits.test.ts";

const isChosen = ["SEED", "SEEDS", "SEED_FROM"].some((name) => process.env[name] !== undefined);
const scenes = Array.from({ length: SEEDS }, (_, at) => at + 1);
const seeds = isChosen ? seedsToPlay(SEEDS / PARTS) : itemsOfTurn(scenes, PARTS);

let beside: LimitsBeside;
beforeAll(async () => {
  beside = await LimitsBeside.open();
});
afterAll(async () => {
  await beside?.stop();
  if (beside !== undefined) leaveFigures("beside-reference-limits", beside.figures);
  if (!isChosen) tellRotation("beside-reference", "scenes of limits", seeds.length, SEEDS);
  console.log(JSON.stringify(beside?.figures));
});

test.each(seeds)("the limited invocations of seed %i run and wait alike on both servers", async (seed) => {
  const { trace, complaints } = await beside.play(seed);
  if (ONLY_SEED !== undefined) console.log(trace.join("\n"));
  expectNone(
    complaints.length === 0 ? [] : [`seed ${seed} differs:`, ...trace, ...complaints, `again: SEED=${seed} ${COMMAND}`],
  );
});
