/**
 * A SIGKILL of either process in the middle of an open exchange: the next attempt replays what is stored and goes on (ADR 0008).
 */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { newAccount, takeAccount } from "./account.ts";
import { judgeLedger } from "./ledger-rule.ts";
import { readLedger, type Line } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import type { Op } from "./plan.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const RUNS = 40;
/** At least this number of closures runs before the kill, and at least the same number runs after it. */
const BEFORE_KILL = 15;

const runs: readonly Op[] = Array.from({ length: RUNS }, (_, n) => ({ kind: "run", step: `step ${n}` }) as const);

let stage: Stage;

beforeEach(async () => {
  stage = await openStage(SEEN_WITHIN_MS);
});

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

const ledger = (): readonly Line[] => (existsSync(stage.site.ledgerPath) ? readLedger(stage.site.ledgerPath) : []);

test.each([
  ["control plane", ["controlPlane"]],
  ["deployment", ["deployment"]],
  ["control plane and the deployment", ["controlPlane", "deployment"]],
] as const)(
  "after a SIGKILL of the %s, later attempts execute only the steps that are not stored",
  async (_, names) => {
    const { client } = stage;
    const plan = { ops: runs };
    const answer = client.submit({ shape: "runs", plan, way: "call", idempotencyKey: "runs" });
    while (ledger().length < BEFORE_KILL) await pause(5);
    const victims = names.map((name) => stage[name]);
    const kill = { atMs: Date.now(), deadMs: Infinity };
    await Promise.all(victims.map((victim) => victim.end("SIGKILL")));
    kill.deadMs = Date.now();
    for (const victim of victims) victim.start();
    await Promise.all(victims.map((victim) => victim.ready()));

    const account = newAccount();
    await takeAccount(account, plan, JSON.parse((await answer).text) as Outcome, (id) => client.outcomeOf(id));
    const { complaints, uncommitted } = judgeLedger(ledger(), account.committed, [kill]);
    expect([...account.complaints, ...complaints]).toEqual([]);
    expect(uncommitted).toBeLessThanOrEqual(1);
    // If the exchange ended at each step, each step would run in an attempt of its own.
    const executed = ledger().map(({ attemptId }) => attemptId);
    const attempts = [...new Set(executed)];
    const closuresOf = (attempt: string | undefined) => executed.filter((attemptId) => attemptId === attempt).length;
    expect(closuresOf(attempts[0])).toBeGreaterThanOrEqual(BEFORE_KILL);
    // After a death of the control plane its open invocations are suspects, and the exchanges of a suspect are request-response.
    if (names.some((name) => name === "controlPlane")) return;
    expect(attempts).toHaveLength(2);
    expect(closuresOf(attempts[1])).toBeGreaterThanOrEqual(BEFORE_KILL);
  },
);
