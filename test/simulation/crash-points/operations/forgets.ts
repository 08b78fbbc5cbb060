/** Restarts, purges and drops of journals, beside invocations that still want the result. */
import type { Client } from "../client.ts";
import { dropJournal, purgeEnded, restartEnded } from "../operator.ts";
import { CHANGES, type Expected, type Scenario } from "../scenarios.ts";

/** More than fits the acceptance, so that the input is in a piece. */
const LARGE = "input ".repeat(4_000);
const DESK = { service: "Desk" };
const SLEPT = '["<before>","<after>"]';
const FIVE = '["<r1>","<r2>","<r3>","<r4>","<r5>"]';

const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });
const times = (least: number, most: number, ...outcomes: string[]): Expected => ({ count: [least, most], outcomes });

const ended = async (client: Client, handler: string, input?: unknown, at = { service: "Sim" }) => {
  const id = (await client.send(handler, { at, key: "k", ...(input !== undefined && { input }) }))!;
  await client.attach(id);
  return id;
};

const PLAYED: readonly Scenario[] = [
  {
    name: "restarted from the middle of its journal",
    async play(client) {
      const id = await ended(client, "five");
      await client.attach(await restartEnded(client, id, 4));
    },
    expected: { five: times(2, 3, FIVE) },
    keptEntries: 4,
  },
  {
    name: "restarted from its beginning, and the former is purged",
    async play(client) {
      const id = await ended(client, "five");
      const copy = await restartEnded(client, id, 0);
      await purgeEnded(client, id);
      await client.attach(copy);
    },
    // A purge whose process dies leaves an end without a result.
    expected: { five: times(1, 2, FIVE, "failed 410") },
  },
  {
    name: "restarted after its call, and restarted again",
    async play(client) {
      const id = await ended(client, "parent");
      const copy = await restartEnded(client, id, 5);
      await client.attach(copy);
      await client.attach(await restartEnded(client, copy, 0));
    },
    expected: { parent: times(3, 5, '["<before>","<r1>","<after>"]'), one: times(2, 4, '"<r1>"') },
  },
  {
    name: "the journal is dropped by hand, and others attach",
    async play(client) {
      const id = await ended(client, "nap", 300);
      await dropJournal(client, id);
      await client.attach(id);
      await client.call("attacher", { input: id, key: "a" });
    },
    expected: { nap: once(SLEPT), attacher: once(`["<before>",${SLEPT}]`) },
  },
  {
    name: "the journal is dropped in time, and the result stays",
    async play(client) {
      const id = await ended(client, "brief", undefined, DESK);
      await client.wait(12 * 60_000);
      await client.attach(id);
    },
    expected: { brief: once('["<r1>","<r2>"]') },
    life: {},
  },
  {
    name: "killed while it waits for its start",
    async play(client) {
      const id = (await client.send("five", { key: "k", input: LARGE, delayMs: 90_000 }))!;
      await client.kill(id);
      await client.wait(20 * 60_000);
    },
    expected: { five: once("failed 409") },
  },
  {
    name: "purged while another waits for its result",
    async play(client) {
      const id = (await client.send("nap", { input: 1_000, key: "k" }))!;
      const attached = client.call("attacher", { input: id, key: "a" });
      await client.wait(300);
      await client.attach(id);
      await purgeEnded(client, id);
      await attached;
    },
    // If the attach comes only after the purge, there is nothing to attach to.
    expected: { nap: times(0, 1, SLEPT, "failed 410"), attacher: once(`["<before>",${SLEPT}]`, "failed 404") },
  },
];

export const FORGETS: readonly Scenario[] = PLAYED.map((played) => ({ at: CHANGES, ...played }));
