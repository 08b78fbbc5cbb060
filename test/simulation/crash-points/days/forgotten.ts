/** Requests after the retention of a result: the table deletes the items of the invocation one by one, in any order. */
import type { InvocationId } from "../../../../shared/core/model/ids.ts";
import type { At, Client } from "../client.ts";
import type { Life } from "../life.ts";
import { EXPIRIES, FAULTS } from "../point.ts";
import type { Expected, Scenario } from "../scenarios.ts";

const DESK: At = { service: "Desk" };
const BOX: At = { service: "Box", key: "k" };
const FLOW: At = { service: "Flow", key: "w" };
/** The two weeks that open invocations outlast without a sweeper, and the retention of three days, are over. */
const DAYS = 20;
const LIFE: Life = { examined: 1, expires: true, faults: [...EXPIRIES, ...FAULTS] };
/** Walks over the index read nothing that expires, and there are hundreds of them after twenty days. */
const AT = /^table\.(get|getMany|query|put|update|delete) |^queue\.send /;

const OF_INVOCATIONS = /^table\.(get|query|put|update|delete) inv#|^table\.getMany /;

const times = (least: number, most: number, ...outcomes: string[]): Expected => ({ count: [least, most], outcomes });
const OLD = '["<r1>","old"]';
const SLEPT = '["<before>","<after>"]';

async function labelled(client: Client): Promise<InvocationId> {
  const id = (await client.send("label", { at: DESK, input: "old", key: "k" }))!;
  await client.attach(id);
  return id;
}

const PLAYED: readonly Scenario[] = [
  {
    name: "the same idempotency key after the retention",
    async play(client) {
      await labelled(client);
      await client.off(DAYS);
      await client.call("label", { at: DESK, input: "new", key: "k" });
    },
    expected: { label: times(1, 1, '["<r1>","new"]') },
    needs: { r1: 2 },
  },
  {
    name: "a result is asked for after the retention",
    async play(client) {
      const id = await labelled(client);
      await client.off(DAYS);
      await client.seek(id);
    },
    expected: { label: times(0, 1, OLD) },
  },
  {
    name: "a signal comes after the retention",
    async play(client) {
      const id = await labelled(client);
      await client.off(DAYS);
      await client.call("late", { at: DESK, input: id, key: "l" });
    },
    expected: { label: times(0, 1, OLD), late: times(1, 1, '"<told>"') },
  },
  {
    name: "a pass over everything after the retention",
    async play(client) {
      const id = (await client.send("nap", { input: 3_000, key: "k" }))!;
      await client.attach(id);
      await client.off(DAYS);
      await client.sweepAll();
    },
    expected: { nap: times(0, 1, SLEPT) },
    at: OF_INVOCATIONS,
    life: { ...LIFE, faults: EXPIRIES },
  },
  {
    name: "a call under a key whose last caller is forgotten",
    keyed: "quiet",
    async play(client) {
      await client.call("push", { at: BOX, input: "a", key: "a" });
      await client.off(DAYS);
      await client.call("push", { at: BOX, input: "b", key: "a" });
    },
    expected: { push: times(1, 2, '"<pushed>"') },
    needs: { pushed: 2 },
    states: { k: ['log=["a","b"]'] },
  },
  {
    name: "another run of a workflow that is forgotten",
    keyed: "quiet",
    async play(client) {
      const id = (await client.send("run", { at: FLOW }))!;
      await client.call("go", { at: FLOW, input: "one", key: "1" });
      await client.attach(id);
      await client.off(DAYS);
      await client.send("run", { at: FLOW });
      await client.call("go", { at: FLOW, input: "two", key: "2" });
    },
    expected: { run: times(1, 1, '["<before>","two"]'), go: times(1, 2, '"<going>"') },
    needs: { before: 2 },
    at: OF_INVOCATIONS,
    life: { ...LIFE, faults: EXPIRIES },
    states: { w: ['phase="two"'] },
  },
];

export const FORGOTTEN: readonly Scenario[] = PLAYED.map((played) => ({ life: LIFE, at: AT, ...played }));
