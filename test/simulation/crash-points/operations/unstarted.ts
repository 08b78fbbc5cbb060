/** Invocations that end before their first attempt, whose content the store must lose, whatever they waited for. */
import type { InvocationId } from "../../../../shared/core/model/ids.ts";
import type { At, Client } from "../client.ts";
import { order } from "../operator.ts";
import { CHANGES, ENDED, type Scenario } from "../scenarios.ts";

const BOX: At = { service: "Box", key: "k" };
const DESK: At = { service: "Desk" };
const MINUTE_MS = 60_000;
/** In every input; more than fits the acceptance, so that the input is in a piece. */
const SECRET = "the-diary-of-ada";
const LARGE = `${SECRET} `.repeat(2_000);
const STOPPED = "failed 409";
/** A pass of the sweeper finds an erasure that was cut short. */
const SWEPT_MS = 20 * MINUTE_MS;
/** Longer than a function whose time is up takes to kill what waits for the key. */
const HELD_MS = 90_000;

type Ends = (client: Client, id: InvocationId) => Promise<unknown>;

const kills: Ends = (client, id) => client.kill(id);
const cancels: Ends = (client, id) => client.cancel(id);
const pausesAndKills: Ends = (client, id) => order(client, id, "pause", "kill");

async function delayed(client: Client, ends: Ends): Promise<void> {
  const id = (await client.send("five", { key: "k", input: LARGE, delayMs: 15 * MINUTE_MS }))!;
  await ends(client, id);
  await client.wait(SWEPT_MS);
}

const PLAYED: readonly Scenario[] = [
  {
    name: "killed before its first attempt",
    play: (client) => delayed(client, kills),
    expected: { five: { count: [1, 1], outcomes: [STOPPED] } },
  },
  {
    name: "killed before its first attempt, hints lost",
    play: (client) => delayed(client, kills),
    expected: { five: { count: [1, 1], outcomes: [STOPPED] } },
    diesAfter: ENDED,
    losesHints: true,
  },
  {
    name: "cancelled before its first attempt",
    play: (client) => delayed(client, cancels),
    expected: { five: { count: [1, 1], outcomes: [STOPPED] } },
  },
  {
    name: "paused and killed before its first attempt",
    play: (client) => delayed(client, pausesAndKills),
    expected: { five: { count: [1, 1], outcomes: [STOPPED] } },
  },
  {
    name: "killed before its first attempt, after a signal",
    async play(client) {
      const id = (await client.send("player", { at: DESK, key: "k", input: LARGE, delayMs: 15 * MINUTE_MS }))!;
      await client.call("confides", { at: DESK, input: { id, note: SECRET }, key: "s" });
      await client.kill(id);
      await client.wait(SWEPT_MS);
    },
    expected: { player: { count: [1, 1], outcomes: [STOPPED] }, confides: { count: [1, 1], outcomes: ['"<told>"'] } },
    // The sender was started, so its journal keeps what it said.
    erased: { text: SECRET, butOf: "confides" },
  },
  {
    name: "killed in the queue of its key",
    keyed: "quiet",
    async play(client) {
      await client.send("slow", { at: BOX, input: { name: "a", ms: HELD_MS }, key: "a" });
      await client.wait(300);
      const id = (await client.send("push", { at: BOX, input: LARGE, key: "b" }))!;
      await client.kill(id);
      await client.wait(SWEPT_MS);
      await client.call("push", { at: BOX, input: "c", key: "c" });
    },
    expected: {
      slow: { count: [1, 1], outcomes: ['["<before>","<after>"]'] },
      push: { count: [2, 2], outcomes: ['"<pushed>"', STOPPED] },
    },
    states: { k: ['log=["a begins","a ends","c"]'] },
  },
];

export const UNSTARTED: readonly Scenario[] = PLAYED.map((played) => ({
  at: CHANGES,
  erased: { text: SECRET },
  ...played,
}));
