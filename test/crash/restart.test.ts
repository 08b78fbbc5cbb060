/** A graceful stop and a start on the same data directory: open work goes on, and no committed step runs again. */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { newAccount, takeAccount } from "./account.ts";
import type { Job } from "./client.ts";
import { judgeCounts } from "./count-rule.ts";
import { judgeLedger } from "./ledger-rule.ts";
import { readLedger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import type { Op } from "./plan.ts";
import { judgeSleeps } from "./sleep-rule.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const SLEEP_MS = 5_000;
/**
 * The shorter absence ends before the sleep is due. During the longer absence the sleep becomes due, so the sleep ends at the
 * next start of the process.
 */
const ABSENCES_MS = [500, 6_000];

let stage: Stage;

beforeEach(async () => {
  stage = await openStage(SEEN_WITHIN_MS);
});

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

/**
 * Each sleep of a plan runs the closure `before` first, and each workflow runs the closure `begin` first. This constant is the
 * number of these closures. The test stops the process once all of them have run.
 */
const BEGINNINGS = 6;

async function untilBegun(ledgerPath: string): Promise<void> {
  const begun = () => readLedger(ledgerPath).filter(({ step }) => step === "before" || step === "begin").length;
  while (!existsSync(ledgerPath) || begun() < BEGINNINGS) await pause(50);
}

const KEY = "key";
const sleep: Op = { kind: "sleep", before: "before", after: "after", ms: SLEEP_MS };
const OPS: Readonly<Record<string, readonly Op[]>> = {
  sleep: [sleep],
  call: [{ kind: "call", plan: { ops: [sleep] } }],
  send: [{ kind: "send", plan: { ops: [{ kind: "run", step: "late" }] }, delayMs: SLEEP_MS }],
  // There are more closures than can run before the stop, so the stop breaks one off.
  runs: Array.from({ length: 70 }, (_, n) => ({ kind: "run", step: `step ${n}` }) as const),
  // The stop breaks one add off, and the other adds wait for the key.
  adds: [{ kind: "adds", key: KEY, sends: 9 }],
  workflow: [{ kind: "workflow", name: "waiting", delaysMs: [SLEEP_MS, SLEEP_MS] }],
};

test.each(ABSENCES_MS)(
  "open work goes on after a stop of %i ms, and sleeps only for the remaining time",
  async (absenceMs) => {
    const { site, controlPlane, client } = stage;
    const jobs: Job[] = Object.entries(OPS).flatMap(([shape, ops]) =>
      (["call", "send"] as const).map((way) => ({ shape, plan: { ops }, way, idempotencyKey: `${way}-${shape}` })),
    );
    const answers = jobs.map((job) => client.submit(job));
    await pause(SLEEP_MS / 4);
    await untilBegun(site.ledgerPath);
    const stop = { atMs: Date.now(), deadMs: Infinity };
    expect(await controlPlane.end("SIGTERM")).toBe(0);
    stop.deadMs = Date.now();
    await pause(absenceMs);
    controlPlane.start();
    await controlPlane.ready();

    const account = newAccount();
    for (const [index, { plan }] of jobs.entries()) {
      const outcome = JSON.parse((await answers[index]!).text) as Outcome;
      await takeAccount(account, plan, outcome, (id) => client.outcomeOf(id));
    }
    const lines = readLedger(site.ledgerPath);
    expect(lines.some(({ atMs }) => atMs < stop.atMs) && lines.some(({ atMs }) => atMs > stop.deadMs)).toBe(true);
    const { complaints, uncommitted } = judgeLedger(lines, account.committed, [stop]);
    const all = [...account.complaints, ...complaints];
    judgeSleeps(account.slept, controlPlane.absences, all, stage.yardstick.slowness);
    const inOrder = account.inOrder.map(({ invocationIds }) => invocationIds);
    all.push(...judgeCounts(KEY, account.added, inOrder, await client.stateOf(KEY)));
    expect(all).toEqual([]);
    expect(account.added).toHaveLength(20);
    expect(account.added.some(({ toMs }) => toMs > stop.deadMs)).toBe(true);
    expect(account.slept).toHaveLength(4);
    // At most one closure of each of the three running handlers was broken off.
    expect(uncommitted).toBeLessThanOrEqual(3);
  },
);
