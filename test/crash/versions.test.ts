/** On each protocol version, a handler draws the same random values before and after a kill of both processes. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { PROTOCOL_VERSIONS } from "../conformance/offered-version.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { newAccount, takeAccount } from "./account.ts";
import { judgeLedger } from "./ledger-rule.ts";
import { readLedger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const SLEEP_MS = 3_000;
const PLAN: Plan = {
  ops: [
    { kind: "run", step: "first" },
    { kind: "sleep", before: "before", after: "after", ms: SLEEP_MS },
    { kind: "run", step: "last" },
  ],
};

let stage: Stage;

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

test.each(PROTOCOL_VERSIONS)("random values and steps survive kill -9 of both processes on V%i", async (version) => {
  stage = await openStage(SEEN_WITHIN_MS, { protocolVersion: version });
  const { site, controlPlane, deployment, client } = stage;
  const answer = client.submit({ shape: "sleep", plan: PLAN, way: "call", idempotencyKey: `v${version}` });
  await pause(SLEEP_MS / 3);
  const killedAtMs = Date.now();
  await Promise.all([controlPlane.end("SIGKILL"), deployment.end("SIGKILL")]);
  for (const victim of [deployment, controlPlane]) victim.start();
  await Promise.all([deployment.ready(), controlPlane.ready()]);
  const { text, invocationId } = await answer;

  expect(await client.inspect(invocationId)).toMatchObject({ pinned_service_protocol_version: version });
  const account = newAccount();
  // `takeAccount` compares the value drawn before the sleep with the one drawn after it.
  await takeAccount(account, PLAN, JSON.parse(text) as Outcome, (id) => client.outcomeOf(id));
  const lines = readLedger(site.ledgerPath);
  expect(lines.some(({ atMs }) => atMs > killedAtMs)).toBe(true);
  const { complaints } = judgeLedger(lines, account.committed, [{ atMs: killedAtMs, deadMs: Date.now() }]);
  expect([...account.complaints, ...complaints]).toEqual([]);
});
