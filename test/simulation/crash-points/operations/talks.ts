/** Handlers that talk with others: named signals, promises, workflows, and sends under keys. */
import type { At } from "../client.ts";
import { CHANGES, type Expected, type Scenario } from "../scenarios.ts";

const DESK: At = { service: "Desk" };
const FLOW: At = { service: "Flow", key: "w" };
const NOTES = 12;
const HEARD = JSON.stringify(Array.from({ length: NOTES }, (_, note) => note));
const WORKED = '["<a>","<b>","<c>"]';

const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });

const PLAYED: readonly Scenario[] = [
  {
    name: "several signals of one sender",
    play: (client) => client.call("conductor", { at: DESK, input: NOTES, key: "k" }),
    expected: { conductor: once(HEARD), player: once(HEARD) },
  },
  {
    name: "a workflow that a handler starts and waits for",
    keyed: "quiet",
    play: (client) => client.call("submits", { at: DESK, input: "w", key: "k" }),
    expected: { submits: once('[["<before>","on"],"<after>"]'), run: once('["<before>","on"]'), go: once('"<going>"') },
    states: { w: ['phase="on"'] },
  },
  {
    name: "two sends under one key, and the wait for both",
    play: (client) => client.call("sendsOnce", { at: DESK, input: 300, key: "k" }),
    expected: { sendsOnce: once(`[${WORKED},${WORKED}]`), work: once(WORKED) },
  },
  {
    name: "a promise that two complete",
    keyed: "quiet",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.wait(300);
      await Promise.all(["one", "two"].map((word) => client.call("go", { at: FLOW, input: word, key: word })));
    },
    expected: {
      run: once('["<before>","one"]', '["<before>","two"]'),
      go: { count: [2, 2], outcomes: ['"<going>"', "failed 409"] },
    },
    states: { w: ['phase="one"', 'phase="two"'] },
  },
];

export const TALKS: readonly Scenario[] = PLAYED.map((played) => ({ at: CHANGES, ...played }));
