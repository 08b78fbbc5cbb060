/** Invocations under limits: they wait for places and starts, sleep, fail, are stopped, and the rules change meanwhile. */
import type { Limits } from "../../../../shared/core/limits/rule.ts";
import { applyRules, removeRules } from "../../../../shared/engine/register/rules.ts";
import type { At, Client } from "../client.ts";
import type { Expected, Scenario } from "../scenarios.ts";
import { STUMBLES } from "../step.ts";

const SIM = "service:Sim";
const BOX = "service:Box";
const ONE = { concurrency: 1 };
const HOLD_MS = 4_000;
const APART_MS = 20_000;
const RATE = { count: 1, perMs: APART_MS, burst: 1 };

const NAPPED = '["<before>","<after>"]';
const HELD = '"<held>"';
const STOPPED = "failed 409";
const times = (count: number, ...outcomes: string[]): Expected => ({ count: [count, count], outcomes });

async function limit(client: Client, pattern: string, limits: Limits): Promise<void> {
  const change = await client.ask(true, (engine) => applyRules(engine, [{ pattern, limits }]));
  if (change?.kind !== "changed") throw new Error(`the rule was refused: ${JSON.stringify(change)}`);
}

const lift = (client: Client, pattern: string) => client.ask(true, (engine) => removeRules(engine, [{ pattern }]));

const hold = (client: Client, key: string) => client.send("hold", { input: HOLD_MS, key });

/** The calls that change something, and exchanges. */
const WITH_RULES = /^((table|meta)\.(put|update|delete|transact)|timers\.|queue\.send|endpoints\.)/;

const OF_SIM = { places: { [SIM]: 1 } };

const PLAYED: readonly Scenario[] = [
  {
    name: "two of one place",
    async play(client) {
      await limit(client, SIM, ONE);
      await Promise.all(["a", "b"].map((key) => hold(client, key)));
    },
    expected: { hold: times(2, HELD) },
    limited: OF_SIM,
  },
  {
    name: "two calls of one place",
    async play(client) {
      await limit(client, SIM, ONE);
      await Promise.all(["a", "b"].map((key) => client.call("hold", { input: HOLD_MS, key })));
    },
    expected: { hold: times(2, HELD) },
    limited: OF_SIM,
  },
  {
    name: "one of two sleeps, and the other takes its place",
    async play(client) {
      await limit(client, SIM, ONE);
      await client.send("nap", { input: 2_000, key: "a" });
      await client.wait(500);
      await hold(client, "b");
    },
    expected: { nap: times(1, NAPPED), hold: times(1, HELD) },
    limited: OF_SIM,
  },
  {
    name: "one of two fails, and is tried again",
    async play(client) {
      await limit(client, SIM, ONE);
      await client.send("falling", { key: "a" });
      await client.wait(3_000);
      await hold(client, "b");
    },
    expected: { falling: times(1, '"<stumble>"'), hold: times(1, HELD) },
    needs: { stumble: STUMBLES + 1 },
    limited: OF_SIM,
  },
  {
    name: "one of three is killed while it waits for a place",
    async play(client) {
      await limit(client, SIM, ONE);
      await hold(client, "a");
      await client.wait(500);
      const id = (await client.send("nap", { input: 1_000, key: "b" }))!;
      await client.send("one", { key: "c" });
      await client.wait(500);
      await client.kill(id);
    },
    // The fault may come before the kill, and delay it until the place is free.
    expected: { hold: times(1, HELD), nap: times(1, STOPPED, NAPPED), one: times(1, '"<r1>"') },
    limited: OF_SIM,
  },
  {
    name: "one is killed while it has the place",
    async play(client) {
      await limit(client, SIM, ONE);
      const id = (await hold(client, "a"))!;
      await client.wait(500);
      await client.send("one", { key: "b" });
      await client.wait(500);
      await client.kill(id);
    },
    expected: { hold: times(1, STOPPED, HELD), one: times(1, '"<r1>"') },
    limited: OF_SIM,
  },
  {
    name: "one is cancelled while it waits for a place",
    async play(client) {
      await limit(client, SIM, ONE);
      await hold(client, "a");
      await client.wait(500);
      const id = (await client.send("nap", { input: 1_000, key: "b" }))!;
      await client.wait(500);
      await client.cancel(id);
    },
    expected: { hold: times(1, HELD), nap: times(1, STOPPED, NAPPED) },
    limited: OF_SIM,
  },
  {
    name: "a rule is made while one runs",
    async play(client) {
      await hold(client, "a");
      await client.wait(500);
      await limit(client, SIM, ONE);
      await client.send("one", { key: "b" });
    },
    expected: { hold: times(1, HELD), one: times(1, '"<r1>"') },
    limited: {},
  },
  {
    name: "a rule is removed while one runs and one waits",
    async play(client) {
      await limit(client, SIM, ONE);
      await hold(client, "a");
      await client.wait(500);
      await client.send("one", { key: "b" });
      await client.wait(500);
      await lift(client, SIM);
    },
    expected: { hold: times(1, HELD), one: times(1, '"<r1>"') },
    limited: { isLifted: true },
  },
  {
    name: "three starts, one in twenty seconds",
    async play(client) {
      await limit(client, SIM, { rate: RATE });
      await Promise.all(["a", "b", "c"].map((key) => client.send("one", { key })));
    },
    expected: { one: times(3, '"<r1>"') },
    limited: { startsApartMs: APART_MS },
  },
  {
    name: "one keeps a narrow place while it waits for a start",
    async play(client) {
      await limit(client, "handler:Sim/nap", ONE);
      await limit(client, SIM, { rate: RATE });
      for (const key of ["a", "b"]) await client.send("nap", { input: 3_000, key });
    },
    expected: { nap: times(2, NAPPED) },
    limited: { places: { "handler:Sim/nap": 1 }, startsApartMs: APART_MS },
  },
  {
    name: "a key and a place",
    keyed: "raced",
    async play(client) {
      const at = (key: string): At => ({ service: "Box", key });
      await limit(client, BOX, ONE);
      await client.send("slow", { at: at("k"), input: { name: "a", ms: 2_000 }, key: "a" });
      await Promise.all(
        ["b", "c"].map((name, number) =>
          client.send("push", { at: at(number === 0 ? "k" : "l"), input: name, key: name }),
        ),
      );
    },
    expected: { slow: times(1, NAPPED), push: { count: [2, 4], outcomes: ['"<pushed>"'] } },
    states: { k: ['log=["a begins","a ends","b"]'], l: ['log=["c"]', 'log=["c","d"]'], m: ['log=["d"]'] },
    limited: {
      places: { [BOX]: 1 },
      // The second one waits, so the first one looks at the line when it gives the place back.
      next: (client) =>
        Promise.all(
          ["l", "m"].map((key) => client.call("push", { at: { service: "Box", key }, input: "d", key: `d${key}` })),
        ),
    },
  },
];

export const LIMITS: readonly Scenario[] = PLAYED.map((played) => ({ at: WITH_RULES, ...played }));
