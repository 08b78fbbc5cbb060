/**
 * Random kills: every invocation ends once with the right result, however often the control plane and the deployment are
 * killed.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFailed, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { newAccount, takeAccount, type Account } from "./account.ts";
import { Client, type Job } from "./client.ts";
import { judgeCounts } from "./count-rule.ts";
import { KILL_KINDS, killingSpree, mixedJobs, type Spree } from "./killing-spree.ts";
import { judgeLedger } from "./ledger-rule.ts";
import { readLedger } from "./ledger.ts";
import { leftBehind, type LeftBehind } from "./left-behind.ts";
import { ADD_OPS, KEYS, seededRandom } from "./plan.ts";
import type { Counted, Outcome } from "./outcome.ts";
import { judgeSleeps } from "./sleep-rule.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";
import { expectNone } from "../complaints.ts";
import { leaveFigures } from "../drawn-runs.ts";

const JOBS = Number(process.env["STEPWELL_CRASH_JOBS"] ?? 50);
const KILLS = Number(process.env["STEPWELL_CRASH_KILLS"] ?? 200);
const SEED = Number(process.env["STEPWELL_CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
/** Far longer than the test takes, unless an invocation is stuck. */
const PATIENCE_MS = KILLS * 3_000 + SEEN_WITHIN_MS;
/** A backstop comes when a lease is over (10 s), and is acked. */
const BACKSTOPS_GONE_MS = 13_000;
const LOOKS_MAX = 10;

let stage: Stage;

beforeEach(async () => {
  stage = await openStage(PATIENCE_MS);
});

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

test(`${JOBS} mixed invocations end once and rightly under ${KILLS} kills`, async () => {
  const startedAtMs = Date.now();
  const rerun = `STEPWELL_CRASH_SEED=${SEED} STEPWELL_CRASH_KILLS=${KILLS} STEPWELL_CRASH_JOBS=${JOBS} npm run test:crash`;
  console.log(`Run again with: ${rerun}`);
  onTestFailed(() => console.error(`Run again with: ${rerun}`));
  const { site, controlPlane, deployment, client } = stage;
  const random = seededRandom(SEED);
  const jobs = mixedJobs(JOBS, random, SEED);
  const spree = await killingSpree({ ...stage, random }, jobs, KILLS);

  await writeFile(join(site.dir, "kills.json"), JSON.stringify(spree.kills));

  const account = await accountOf(jobs, spree, client);
  for (const [id, outcome] of account.outcomes) await expectEndedOnce(client, id, outcome);
  const ledger = judgeLedger(readLedger(site.ledgerPath), account.committed, spree.kills);
  const complaints = [...account.complaints, ...ledger.complaints];
  const absences = [...controlPlane.absences, ...deployment.absences];
  const overrunMs = judgeSleeps(account.slept, absences, complaints, stage.yardstick.slowness);
  for (const key of KEYS) complaints.push(...(await complaintsOfKey(account, key, client)));
  const hits = spree.kills.filter(({ open }) => open > 0).length;
  console.log(summaryOf(spree, account, { ...ledger, overrunMs, hits, interrupted: client.interrupted, startedAtMs }));
  leaveFigures("kills", { kills: spree.kills.length, killsDuringWork: hits, invocations: account.outcomes.size });
  expectNone(complaints);
  expect(hits).toBeGreaterThan(KILLS * 0.75);

  let left = await leftAtStop(startedAtMs);
  expect(left.open).toEqual([]);
  // A busy machine may take the last messages late. A message that is still there at every look was left behind.
  for (let looks = 1; looks < LOOKS_MAX && left.messages > 0; looks++) {
    controlPlane.start();
    await controlPlane.ready();
    left = await leftAtStop(startedAtMs);
  }
  expect(left).toMatchObject({ open: [], messages: 0 });
  expect(left.accepted.toSorted()).toEqual([...account.outcomes.keys()].toSorted());

  controlPlane.start();
  await controlPlane.ready();
  const later = new Client(site, Date.now() + SEEN_WITHIN_MS);
  for (const { invocationId, text } of spree.answers) expect((await later.attach(invocationId)).text).toBe(text);
  for (const key of KEYS) await expectCountsOn(later, account, key);
  console.log(`All in all ${Math.round((Date.now() - startedAtMs) / 1000)} s.`);
});

/** Waits until the backstops have come, stops the control plane gracefully, and reads what it left. */
async function leftAtStop(sinceMs: number): Promise<LeftBehind> {
  const { site, controlPlane } = stage;
  await pause(BACKSTOPS_GONE_MS);
  expect(await controlPlane.end("SIGTERM")).toBe(0);
  return await leftBehind(site.dataDir, sinceMs);
}

async function accountOf(jobs: readonly Job[], { answers }: Spree, client: Client): Promise<Account> {
  const account = newAccount();
  for (const [index, { plan }] of jobs.entries()) {
    const { invocationId, text } = answers[index]!;
    const outcome = JSON.parse(text) as Outcome;
    if (outcome.invocationId !== invocationId) account.complaints.push(`${invocationId} answered ${text}`);
    await takeAccount(account, plan, outcome, (id) => client.outcomeOf(id));
  }
  return account;
}

async function complaintsOfKey(account: Account, key: string, client: Client): Promise<string[]> {
  const added = account.added.filter((each) => each.key === key);
  const inOrder = account.inOrder.filter((each) => each.key === key).map(({ invocationIds }) => invocationIds);
  return judgeCounts(key, added, inOrder, await client.stateOf(key));
}

/** The key is free: one more add succeeds. */
async function expectCountsOn(client: Client, { added }: Account, key: (typeof KEYS)[number]): Promise<void> {
  const job: Job = {
    shape: "one more",
    plan: { ops: ADD_OPS, key },
    way: "call",
    idempotencyKey: `${SEED}-more-${KEYS.indexOf(key)}`,
  };
  const { count } = JSON.parse((await client.submit(job)).text) as Counted;
  expect({ key, count }).toEqual({ key, count: added.filter((each) => each.key === key).length + 1 });
}

/** The journal has one output, and an attach returns the outcome that the test already has. */
async function expectEndedOnce(client: Client, id: string, outcome: Outcome): Promise<void> {
  const { status, entries } = await client.inspect(id);
  const outputs = entries.filter(({ type }) => type === "Command: Output").length;
  expect({ id, status, outputs }).toEqual({ id, status: "completed", outputs: 1 });
  expect(await client.outcomeOf(id)).toEqual(outcome);
}

interface Figures {
  readonly uncommitted: number;
  readonly thrown: number;
  readonly overrunMs: number;
  readonly hits: number;
  readonly interrupted: number;
  readonly startedAtMs: number;
}

function summaryOf({ kills }: Spree, account: Account, figures: Figures): string {
  const byKind = KILL_KINDS.map((kind) => `${kind} ${kills.filter((kill) => kill.kind === kind).length}`);
  const starts = [stage.controlPlane, stage.deployment].map(
    ({ name, startTimesMs }) => `${name} ${median(startTimesMs)} ms`,
  );
  const openMean = kills.reduce((sum, { open }) => sum + open, 0) / kills.length;
  return [
    "",
    `kills          ${kills.length} (${byKind.join(", ")}), ${figures.hits} while a submission was open, ${openMean.toFixed(1)} open on average`,
    `invocations    ${JOBS} submitted, ${account.outcomes.size} with their calls and sends; ${figures.interrupted} requests asked again`,
    `ledger         ${account.committed.length} committed, ${figures.uncommitted} undone by a kill, ${figures.thrown} thrown on purpose`,
    `adds           ${account.added.length} to ${KEYS.length} keys, ${account.inOrder.length} times in the order of one sender`,
    `sleeps         ${account.slept.length}, at most ${Math.round(figures.overrunMs)} ms longer than asked and absent at their end`,
    `median start   ${starts.join(", ")}`,
    `seconds        ${Math.round((Date.now() - figures.startedAtMs) / 1000)} until the last result was checked`,
    "",
  ].join("\n");
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
