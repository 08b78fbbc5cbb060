/** Open invocations whose time to live the sweeper extends between long rests, before the table deletes all that has expired. */
import type { At } from "../client.ts";
import type { Expected, Scenario } from "../scenarios.ts";

const DESK: At = { service: "Desk" };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A process begins its first pass this long after its start. */
const FIRST_PASS_MS = MINUTE_MS;

const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });

export const EXTENDED: readonly Scenario[] = [
  {
    name: "a sleep of a month, with two rests of the sweeper",
    async play(client) {
      const id = (await client.send("nap", { input: 33 * DAY_MS + 6 * MINUTE_MS, key: "k" }))!;
      await client.wait(2_000);
      await client.off(13);
      await client.wait(3 * MINUTE_MS);
      await client.off(20);
      await client.attach(id);
    },
    expected: { nap: once('["<before>","<after>"]') },
    at: /^table\.(get|query|update) inv#/,
    life: { examined: 1, vanishes: true },
  },
  {
    name: "a signal that comes while the time to live is extended",
    async play(client) {
      const id = (await client.send("player", { at: DESK, input: 2, key: "k" }))!;
      await client.wait(2_000);
      await client.off(1.01);
      await client.wait(FIRST_PASS_MS - 5_000);
      await client.call("late", { at: DESK, input: id, key: "1" });
      await client.wait(2 * MINUTE_MS);
      await client.off(4.99);
      await client.wait(2_000);
      await client.off(13);
      await client.call("late", { at: DESK, input: id, key: "2" });
      await client.attach(id);
    },
    expected: { player: once("[1,1]"), late: { count: [1, 2], outcomes: ['"<told>"'] } },
    at: /^table\.(put|update) inv#/,
    life: { examined: 1, vanishes: true, faults: ["slow", "before", "after", "throttled"] },
  },
];
