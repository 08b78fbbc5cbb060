/** The drill: this version goes on with the work of an older version, and repeats none of its steps. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { SEEN_WITHIN } from "../patience.ts";
import type { Account } from "./account.ts";
import { begin } from "./leave-work.ts";
import type { World } from "./services.ts";
import { expectListed, type Shown } from "./listings.ts";
import { asked, JSON_BODY, type Site, until } from "./site.ts";
import type { State } from "./state.ts";
import { statesOf, statusWord } from "./states.ts";

/** The time from the writing of the fixture to the upgrade: near sleeps are due then, and far ones are not. */
const LATER_MS = 600_000;
/** The time for which a process answers from a cached registry. */
const REMEMBERED_MS = 1_200;

/**
 * Sets the clock of this process to shortly after the writing of the fixture; time goes on from there.
 * @returns a function that restores the clock
 */
export function liveShortlyAfter({ writtenAtMs }: Account): () => void {
  const now = Date.now.bind(Date);
  const ahead = writtenAtMs + LATER_MS - now();
  Date.now = () => now() + ahead;
  return () => void (Date.now = now);
}

/** Checks that every state is as it was left, and that all lists have it, before any work is driven. */
export async function expectLeft(site: Site, account: Account): Promise<void> {
  const states = statesOf(account);
  const shown = await Promise.all(states.map(({ name }) => show(site, account.ids[name]!)));
  const left = Object.fromEntries(states.map(({ name }, i) => [name, statusWord(name, shown[i]!.status)]));
  expect(left).toEqual(Object.fromEntries(states.map(({ name, left: as }) => [name, as])));
  await expectListed(site, account, left, childrenOf(states));
}

/**
 * Points the deployment at its new address, as an operator does when the old address is gone, and resumes the invocations that
 * failed at the old address meanwhile.
 */
export async function moveDeployment(site: Site, { deploymentId }: Account, uri: string): Promise<void> {
  await asked(site, "admin", "PATCH", `/deployments/${deploymentId}`, { uri, overwrite: false });
  await pause(REMEMBERED_MS);
  const page = await asked(site, "admin", "GET", "/invocations?status=backing-off");
  for (const { id } of (page as { invocations: Shown[] }).invocations)
    await asked(site, "admin", "PATCH", `/invocations/${id}/resume`);
}

/** Sends what the states wait for: the orders of operators, and the signals and results of other handlers. */
export async function act(site: Site, account: Account): Promise<void> {
  for (const state of statesOf(account)) {
    const id = account.ids[state.name]!;
    if (state.order === "resolve")
      await asked(site, "ingress", "POST", `/restate/awakeables/${account.awakeables[state.name]}/resolve`, "all");
    else if (state.order === "signal") await asked(site, "ingress", "POST", "/Drill/tell", { name: "teller", id });
    else if (state.order === "say") await asked(site, "ingress", "POST", `/Flow/${state.key}/say`, { name: "sayer" });
    else if (state.order !== undefined) await asked(site, "admin", "PATCH", `/invocations/${id}/${state.order}`);
  }
}

/** Checks that all work except the long waits ends with its result, and that each step that remained has run exactly once. */
export async function expectEnds(site: Site, account: Account, world: World): Promise<void> {
  const states = statesOf(account);
  for (const { name, ends } of states) {
    if (ends === undefined) continue;
    await until(`${name} ends`, () => hasEnded(site, account.ids[name]!));
    expect(`${name}: ${await outcome(site, account.ids[name]!)}`).toBe(`${name}: ${ends}`);
  }
  const expected = states.flatMap(({ name, after, child }) => [
    ...after.map((step) => `${name}/${step}`),
    ...(child?.after ?? []).map((step) => `${name}-child/${step}`),
  ]);
  expect(Object.fromEntries(world.ran)).toEqual(Object.fromEntries(expected.map((step) => [step, 1])));
  // An invocation that was killed before its first attempt is a tombstone: the API answers 404, and no list has it.
  const known = states.filter(({ ends }) => ends !== "404");
  const now = known.map(({ name, ends, left }) => [name, ends === undefined ? left : "completed"]);
  const tellers = states.filter(({ order }) => order === "signal" || order === "say").length;
  const listed = Object.fromEntries(now) as Record<string, string>;
  // A completed invocation leaves the open index a moment later.
  await vi.waitFor(() => expectListed(site, account, listed, childrenOf(states) + tellers), {
    ...SEEN_WITHIN,
    interval: 100,
  });
}

/** Checks that the same key attaches to an invocation that completed under the older version. */
export async function expectSameKey(site: Site, account: Account, world: World): Promise<void> {
  for (const state of statesOf(account).filter(({ idempotencyKey }) => idempotencyKey !== undefined)) {
    const ids: Record<string, string> = {};
    const text = await begin(site, ids, state);
    expect([ids[state.name], JSON.parse(text)]).toEqual([account.ids[state.name], state.ends]);
  }
  expect([...world.ran.keys()]).not.toContain("greeted/greet");
}

/** Checks that long waits can be cancelled or killed, and that new calls work. */
export async function expectRest(site: Site, account: Account): Promise<void> {
  const waiting = statesOf(account).filter(({ ends }) => ends === undefined);
  for (const { name, handler } of waiting) {
    const id = account.ids[name]!;
    await asked(site, "admin", "PATCH", `/invocations/${id}/${handler === "nap" ? "cancel" : "kill"}`);
    await until(`${name} is stopped`, () => hasEnded(site, id));
    // An invocation that ended before its first attempt is a tombstone (404).
    expect(await outcome(site, id)).toBe(handler === "nap" ? "409" : "404");
  }
  expect(await asked(site, "ingress", "POST", "/Drill/greet", { name: "today" })).toBe("Hello, today");
  if (account.ids["counted"] === undefined) return;
  expect(await asked(site, "ingress", "POST", "/Tally/a/add", { name: "today" })).toBe(2);
}

/** The number of children: one for each call, since no call is repeated. */
function childrenOf(states: readonly State[]): number {
  return states.filter(({ child }) => child !== undefined).length;
}

async function show(site: Site, id: string): Promise<Shown> {
  return (await asked(site, "admin", "GET", `/invocations/${id}`)) as Shown;
}

/** Whether the invocation is completed, or a tombstone (404). */
async function hasEnded(site: Site, id: string): Promise<boolean> {
  const { status, text } = await site.request("admin", "GET", `/invocations/${id}`);
  return status === 404 || (JSON.parse(text) as Shown).status === "completed";
}

/** @returns the output, or the code of the failure; an output that is a JSON string comes without its quotes */
async function outcome(site: Site, id: string): Promise<string> {
  const { status, text } = await site.request("ingress", "GET", `/restate/invocation/${id}/output`, {
    headers: JSON_BODY,
  });
  return status === 200 ? String(JSON.parse(text)) : String(status);
}
