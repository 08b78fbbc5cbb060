/** Clocks that are set, processes that stand still, and a slow disk: every invocation ends once and rightly, and nothing runs twice. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, onTestFailed, test } from "vitest";
import { expectNone } from "../complaints.ts";
import { leaveFigures } from "../drawn-runs.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import { newAccount, takeAccount } from "./account.ts";
import { judgeCounts } from "./count-rule.ts";
import { mixedJobs } from "./killing-spree.ts";
import { judgeLedger, type Killing } from "./ledger-rule.ts";
import { readLedger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import { between, KEYS, type Random, seededRandom, SHAPE_NAMES } from "./plan.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const SEED = Number(process.env["STEPWELL_CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
/** How many times as much each test plays. */
const ROUNDS = Number(process.env["STEPWELL_CRASH_ROUNDS"] ?? 1);
/** Every shape once. */
const JOBS = SHAPE_NAMES.length * ROUNDS;
const SUBMIT_EVERY_MS = 200;
const PATIENCE_MS = ROUNDS * SEEN_WITHIN_MS;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Results are kept for a day, so no jump of some hours may remove one that a client still asks for. */
const SHIFTS_MS = [-3 * HOUR_MS, -MINUTE_MS, 0, MINUTE_MS, HOUR_MS, 10 * HOUR_MS];
const JUMPS = 12 * ROUNDS;
const LEASE_S = 2;
const SHORT_LEASE = { STEPWELL_WORKER__LEASE: `${LEASE_S}s` };
const [FROZEN_MIN_MS, FROZEN_MAX_MS] = [1_500 * LEASE_S, 2_500 * LEASE_S];

let stage: Stage;

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

/**
 * Submits mixed jobs while `disturb` runs, and compares every result with the ledger of the handlers.
 * @param disturb resolves with the kills: only a kill explains a closure that ran again
 */
async function expectRightEnds(
  name: string,
  count: number,
  disturb: (random: Random) => Promise<readonly Killing[]>,
): Promise<void> {
  const again = `STEPWELL_CRASH_SEED=${SEED} STEPWELL_CRASH_ROUNDS=${ROUNDS} npm run test:crash -- disturbed-time`;
  onTestFailed(() => console.error(`Run again with: ${again}`));
  const startedAtMs = Date.now();
  const random = seededRandom(SEED);
  const { client, site } = stage;
  const jobs = mixedJobs(count, random, SEED);
  const answers = jobs.map(async (job, at) => {
    await pause(at * SUBMIT_EVERY_MS);
    return await client.submit(job);
  });
  for (const answer of answers) answer.catch(() => undefined);
  const kills = await disturb(random);
  const account = newAccount();
  for (const [index, { plan }] of jobs.entries()) {
    const { invocationId, text } = await answers[index]!;
    const outcome = JSON.parse(text) as Outcome;
    if (outcome.invocationId !== invocationId) account.complaints.push(`${invocationId} answered ${text}`);
    await takeAccount(account, plan, outcome, (id) => client.outcomeOf(id));
  }
  const ledger = judgeLedger(readLedger(site.ledgerPath), account.committed, kills);
  const complaints = [...account.complaints, ...ledger.complaints];
  for (const key of KEYS) {
    const added = account.added.filter((each) => each.key === key);
    const inOrder = account.inOrder.filter((each) => each.key === key).map(({ invocationIds }) => invocationIds);
    complaints.push(...judgeCounts(key, added, inOrder, await client.stateOf(key)));
  }
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  console.log(
    `${name}: ${account.outcomes.size} invocations, ${account.committed.length} closures, ${kills.length} kills undid ${ledger.uncommitted}; ${seconds} s`,
  );
  leaveFigures(name, { kills: kills.length, invocations: account.outcomes.size });
  expectNone(complaints);
}

async function clockIsSet(): Promise<void> {
  const file = join(tmpdir(), `stepwell-clock-${process.pid}`);
  const shiftTo = (ms: number): void => writeFileSync(file, String(ms));
  shiftTo(0);
  const environment = { CLOCK_SHIFT_FILE: file };
  stage = await openStage(PATIENCE_MS, { preload: "test/crash/shifted-clock.mjs", environment });
  await expectRightEnds("set-clock", 2 * JOBS, async (random) => {
    const kills: Killing[] = [];
    for (let jumps = 0; jumps < JUMPS; jumps++) {
      shiftTo(SHIFTS_MS[between(random, 0, SHIFTS_MS.length - 1)]!);
      await pause(between(random, 100, 1_500));
      if (between(random, 0, 3) > 0) continue;
      const atMs = Date.now();
      await stage.controlPlane.end("SIGKILL");
      kills.push({ atMs, deadMs: Date.now() });
      stage.controlPlane.start();
      await stage.controlPlane.ready();
    }
    // A sleep that was stored while the clock was ahead ends at the moment that was stored; now each such moment comes.
    shiftTo(10 * HOUR_MS);
    return kills;
  });
}

async function standsStill(): Promise<void> {
  stage = await openStage(PATIENCE_MS, { environment: SHORT_LEASE });
  await expectRightEnds("standstill", 2 * JOBS, async (random) => {
    const { controlPlane, deployment } = stage;
    for (let round = 0; round < ROUNDS; round++)
      for (const victims of [[controlPlane], [deployment], [controlPlane, deployment]]) {
        await pause(between(random, 200, 1_500));
        const ms = between(random, FROZEN_MIN_MS, FROZEN_MAX_MS);
        await Promise.all(victims.map((victim) => victim.freeze(ms)));
      }
    return [];
  });
}

async function diskIsSlow(): Promise<void> {
  stage = await openStage(PATIENCE_MS, { preload: "test/crash/slow-disk.mjs", environment: SHORT_LEASE });
  await expectRightEnds("slow-disk", JOBS, async () => []);
}

/** Each commit plays one of them. */
const DISTURBANCES: readonly (readonly [what: string, play: () => Promise<void>])[] = [
  ["the clock of the control plane is set back and forth by minutes and hours, with kills between", clockIsSet],
  ["the control plane, the deployment or both stand still for longer than a lease", standsStill],
  ["each write of the store takes 50 to 300 ms", diskIsSlow],
];
const chosen = itemsOfTurn(DISTURBANCES, DISTURBANCES.length);
tellRotation("crash", "disturbances", chosen.length, DISTURBANCES.length);

test.each(chosen)("every invocation ends once and rightly while %s", async (_, play) => {
  await play();
});
