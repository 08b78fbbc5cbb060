/** The rules and the services of docs/flow-control.md limit as the page says, on a local process with the SDK. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { services } from "../../../examples/templates/limits/src/services.ts";
import type { RulesBody, RuleTrialsBody } from "../../../shared/api/contract/limits.ts";
import { fetch } from "../../harness/local/admin-access.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

const RULES = new URL("../../../examples/templates/limits/rules.json", import.meta.url);

let stage: LocalStage;
const printed: string[] = [];
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  stage = await openLocalStage({ services });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await stage.close();
});

async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await fetch(`${stage.adminUri}/${path}`, { method, ...sent });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Body;
}

async function campaign(tenant: string, plan: string, names: string): Promise<void> {
  const recipients = [...names].map((name) => `${tenant}-${name}`);
  const body = JSON.stringify({ tenant, plan, recipients });
  const headers = { "content-type": "application/json" };
  await fetch(`${stage.ingressUri}/campaigns/start`, { method: "POST", headers, body });
  await expect.poll(() => printed.filter((line) => line.startsWith(`sent to ${tenant}`)).length).toBe(names.length);
}

/** The most mails of a tenant that were on their way at a time. */
function most(tenant: string): number {
  let now = 0;
  const own = printed.filter((line) => line.includes(` to ${tenant}-`));
  return Math.max(...own.map((line) => (line.startsWith("sending") ? ++now : now--)));
}

it("without rules the mails of a tenant go out together, and a trial says what a rule would have held back", async () => {
  await campaign("early", "paid", "abcdefgh");
  expect(most("early")).toBeGreaterThan(2);
  const rules = [{ pattern: "early", limits: { concurrency: 1 } }];
  const { trials, considered } = await ask<RuleTrialsBody>("POST", "limits/rules/dry-run", { rules });
  expect([trials[0]?.matched, considered]).toEqual([8, 9]);
  expect(trials[0]?.held_back).toBeGreaterThan(0);
});

it("each tenant has its places, a named tenant its own, and the free plan fewer", async () => {
  const { rules } = JSON.parse(readFileSync(RULES, "utf8")) as { readonly rules: readonly object[] };
  await ask("PUT", "limits/rules", rules);
  expect((await ask<RulesBody>("GET", "limits/rules")).rules).toHaveLength(rules.length);
  await Promise.all([
    campaign("acme", "paid", "abcdef"),
    campaign("other", "free", "abcd"),
    campaign("big", "paid", "abcdefgh"),
  ]);
  expect(most("acme")).toBeLessThanOrEqual(2);
  expect(most("other")).toBe(1);
  expect(most("big")).toBeGreaterThan(2);
});
