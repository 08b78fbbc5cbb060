/** Open invocations over days in which no process runs: sleeps, calls, queues of keys, workflows, and what was just accepted. */
import type { At, Client } from "../client.ts";
import { type Fault, FAULTS, REPEATED, THROTTLED } from "../point.ts";
import { CHANGES, type Expected, type Scenario } from "../scenarios.ts";

const BOX: At = { service: "Box", key: "k" };
const FLOW: At = { service: "Flow", key: "w" };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A process that owns its store deletes expired items within this time after its start. */
const AFTER_MS = 4 * MINUTE_MS;

const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });
const SLEPT = '["<before>","<after>"]';
const PUSHED = '"<pushed>"';

const slow = (client: Client, ms: number) => client.send("slow", { at: BOX, input: { name: "a", ms }, key: "a" });
const push = (client: Client, name: string) => client.send("push", { at: BOX, input: name, key: name });
const LOGGED = 'log=["a begins","a ends","b","c"]';

/** @param days the time off; the invocations go on for some minutes more */
export const slept = (days: number): readonly Scenario[] => {
  const ms = days * DAY_MS + AFTER_MS;
  const played: readonly Scenario[] = [
    {
      name: "a sleep goes on after days",
      async play(client) {
        const id = (await client.send("nap", { input: ms, key: "k" }))!;
        await client.wait(2_000);
        await client.off(days);
        await client.attach(id);
      },
      expected: { nap: once(SLEPT) },
    },
    {
      name: "a call goes on after days",
      async play(client) {
        const id = (await client.send("guardian", { input: ms, key: "k" }))!;
        await client.wait(2_000);
        await client.off(days);
        await client.attach(id);
      },
      expected: { guardian: once(`["<before>",${SLEPT}]`), nap: once(SLEPT) },
    },
    {
      name: "the queue of a key goes on after days",
      keyed: "quiet",
      async play(client) {
        await slow(client, ms);
        await client.wait(300);
        await push(client, "b");
        await client.wait(2_000);
        await client.off(days);
        await client.attach((await push(client, "c"))!);
      },
      expected: { slow: once(SLEPT), push: { count: [2, 2], outcomes: [PUSHED] } },
      states: { k: [LOGGED] },
    },
    {
      name: "a workflow goes on after days",
      keyed: "quiet",
      async play(client) {
        const id = (await client.send("run", { at: FLOW }))!;
        await client.wait(2_000);
        await client.off(days);
        await client.call("go", { at: FLOW, input: "on", key: "g" });
        await client.attach(id);
      },
      expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
      states: { w: ['phase="on"'] },
    },
  ];
  // A lost message delays what has waited for days by a day, because the sweeper looks seldom at it.
  const faults: readonly Fault[] = [...FAULTS, REPEATED, THROTTLED];
  return played.map((one) => ({ life: { examined: 1, expires: true, faults }, at: CHANGES, ...one }));
};

/** @param days the time off after a death, which may come at any call */
export const diedFor = (days: number): readonly Scenario[] => {
  const played: readonly Scenario[] = [
    {
      name: "a sleep of minutes",
      play: (client) => client.send("nap", { input: AFTER_MS, key: "k" }),
      expected: { nap: once(SLEPT) },
    },
    {
      name: "a call that takes minutes",
      play: (client) => client.send("guardian", { input: AFTER_MS, key: "k" }),
      expected: { guardian: once(`["<before>",${SLEPT}]`), nap: once(SLEPT) },
    },
    {
      name: "the queue of a key for minutes",
      keyed: "quiet",
      async play(client) {
        await slow(client, AFTER_MS);
        await client.wait(300);
        for (const name of ["b", "c"]) await push(client, name);
      },
      expected: { slow: once(SLEPT), push: { count: [2, 2], outcomes: [PUSHED] } },
      states: { k: [LOGGED] },
    },
  ];
  const life = { downMs: days * DAY_MS, expires: true, faults: ["before", "after"] } as const;
  return played.map((one) => ({ life, at: CHANGES, ...one }));
};
