/** Tests that histories on a local process are linearizable while the process, its deployment or both are killed again and again. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFailed, test } from "vitest";
import { between, seededRandom } from "../crash/plan.ts";
import { closeStage, openStage, type Stage } from "../crash/stage.ts";
import { leaveFigures } from "../drawn-runs.ts";
import { Random } from "../simulation/random.ts";
import { playClients } from "./clients.ts";
import { Recorder } from "./history.ts";
import { httpDoor } from "./http-door.ts";
import { SERVICE_OF } from "./services.ts";
import { verdictsOn } from "./verdicts.ts";

const KILLS = Number(process.env["STEPWELL_HISTORY_KILLS"] ?? 25);
const SEED = Number(process.env["STEPWELL_HISTORY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS_AT_ONCE = 2;
/** Only a hanging server lets a request wait for so long. */
const REQUEST_MAX_MS = 120_000;

let stage: Stage;

beforeEach(async () => {
  stage = await openStage(0, { deployment: "test/histories/deployment.ts", service: SERVICE_OF.counter });
});

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

/** Kills until the last kill is done. @returns the number of kills of the control plane */
async function killing(random: () => number): Promise<number> {
  const { controlPlane, deployment } = stage;
  let ofControlPlane = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    await Promise.all([controlPlane.ready(), deployment.ready()]);
    await pause(between(random, 50, 900));
    const victims = [[controlPlane], [controlPlane], [deployment], [controlPlane, deployment]][between(random, 0, 3)]!;
    if (victims.includes(controlPlane)) ofControlPlane++;
    await Promise.all(victims.map((victim) => victim.end("SIGKILL")));
    for (const victim of victims) victim.start();
  }
  await Promise.all([controlPlane.ready(), deployment.ready()]);
  return ofControlPlane;
}

test(`each history is linearizable under ${KILLS} kills`, async () => {
  const again = `STEPWELL_HISTORY_SEED=${SEED} STEPWELL_HISTORY_KILLS=${KILLS} npm run test:histories -- local-process`;
  console.log(`Run again with: ${again}`);
  onTestFailed(() => console.error(`Run again with: ${again}`));
  const random = new Random(SEED);
  const { ingressUri } = stage.site;
  let isOver = false;
  const door = httpDoor(
    async ({ path, headers, body }) => {
      const signal = AbortSignal.timeout(REQUEST_MAX_MS);
      const response = await fetch(`${ingressUri}${path}`, { method: "POST", headers, body, signal });
      return { status: response.status, text: await response.text() };
    },
    () => false,
  );
  const recorders: Recorder[] = [];
  const rounds = async (lane: number): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const recorder = new Recorder();
      recorders.push(recorder);
      const between = () => pause(random.pick([0, 0, 20, 150]));
      const size = { clients: 4, each: 10, pausesMs: [0, 0, 30, 300] };
      await playClients({ random, recorder, door, name: `${lane}-${round}`, ...size, between });
    }
  };
  const playing = Array.from({ length: ROUNDS_AT_ONCE }, (_, lane) => rounds(lane));
  const killed = await Promise.race([killing(seededRandom(SEED)), ...playing]);
  isOver = true;
  await Promise.all(playing);

  const judged = recorders.map(({ operations }) => verdictsOn(operations, again));
  const sum = (of: (verdicts: (typeof judged)[number]) => number): number =>
    judged.reduce((total, verdicts) => total + of(verdicts), 0);
  const figures = {
    histories: judged.length,
    operations: sum(({ operations }) => operations),
    unanswered: sum(({ unanswered }) => unanswered),
    undecided: sum(({ undecided }) => undecided),
    kills: KILLS,
  };
  console.log(JSON.stringify(figures));
  leaveFigures("histories-local-process", figures);
  expect(judged.flatMap(({ complaints }) => complaints).join("\n\n")).toBe("");
  // The kills meet operations under way; without any lost answer, they would have met none.
  expect(killed).toBeGreaterThan(KILLS / 3);
  expect(figures.unanswered).toBeGreaterThan(0);
  expect(figures.undecided).toBeLessThanOrEqual(Math.ceil(figures.histories / 20));
});
