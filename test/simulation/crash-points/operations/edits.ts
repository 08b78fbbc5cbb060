/** Edits of state by operators: of objects and of workflows, for any state or for the one that was read, beside running handlers. */
import type { At, Client } from "../client.ts";
import { editAs, readState } from "../operator.ts";
import { CHANGES, type Expected, type Scenario } from "../scenarios.ts";

const BOX: At = { service: "Box", key: "k" };
const FLOW: At = { service: "Flow", key: "w" };
/** Too large for the lock. */
const LARGE = "-".repeat(700);
const OTHER = "+".repeat(700);

const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });
const PUSHED = '"<pushed>"';
const SLEPT = '["<before>","<after>"]';
const log = (...names: string[]): string => `log=${JSON.stringify(names)}`;

const push = (client: Client, name: string): Promise<void> => client.call("push", { at: BOX, input: name, key: name });
const hold = async (client: Client, ms: number): Promise<void> =>
  void (await client.send("slow", { at: BOX, input: { name: "a", ms }, key: "a" }));

const PLAYED: readonly Scenario[] = [
  {
    name: "state edited twice, the second time for the state of the first",
    async play(client) {
      await push(client, "a");
      await editAs(client, "k", { log: ["one"], large: LARGE, other: OTHER });
      const expected = await readState(client, "k");
      await editAs(client, "k", { log: ["two"], large: OTHER, other: LARGE }, { expected });
      await push(client, "b");
    },
    expected: { push: { count: [2, 2], outcomes: [PUSHED] } },
    states: { k: [`large="${OTHER}" ${log("two", "b")} other="${LARGE}"`] },
  },
  {
    name: "state edited for the state that a running handler changes",
    async play(client) {
      // Longer than the clocks of two processes differ, so that the handler runs on while the operator reads.
      await hold(client, 8_000);
      await client.wait(300);
      const expected = await readState(client, "k");
      await editAs(client, "k", { log: ["edited"], large: LARGE }, { expected });
      await push(client, "b");
    },
    expected: { slow: once(SLEPT), push: once(PUSHED) },
    // If the handler begins late, the edit comes before it.
    states: { k: [log("a begins", "a ends", "b"), `large="${LARGE}" ${log("edited", "a begins", "a ends", "b")}`] },
  },
  {
    name: "large state edited beside a running handler, twice",
    async play(client) {
      await hold(client, 2_000);
      await client.wait(300);
      await Promise.all([
        editAs(client, "k", { log: ["edited"], large: LARGE }),
        editAs(client, "k", { log: ["edited"], large: LARGE, other: OTHER }),
      ]);
      await push(client, "b");
    },
    expected: { slow: once(SLEPT), push: once(PUSHED) },
    states: {
      k: ["", `other="${OTHER}"`].map((other) => `large="${LARGE}" ${log("edited", "b")} ${other}`.trim()),
    },
  },
  {
    name: "a large edit for the state that was read, while the key is free",
    async play(client) {
      await push(client, "a");
      const expected = await readState(client, "k");
      await editAs(client, "k", { log: ["edited"], large: LARGE, other: OTHER }, { expected });
      await push(client, "b");
    },
    expected: { push: { count: [2, 2], outcomes: [PUSHED] } },
    states: { k: [`large="${LARGE}" ${log("edited", "b")} other="${OTHER}"`] },
  },
  {
    name: "a workflow's state edited while its run waits",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.wait(300);
      await editAs(client, "w", { note: LARGE, phase: "edited" }, { service: "Flow" });
      await client.call("go", { at: FLOW, input: "on", key: "g" });
    },
    expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
    states: { w: [`note="${LARGE}" phase="on"`] },
  },
  {
    name: "a workflow's state edited by two operators, of whom the first does not try again",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.wait(300);
      await editAs(client, "w", { note: LARGE }, { service: "Flow", again: false });
      await editAs(client, "w", { note: OTHER }, { service: "Flow" });
      await client.call("go", { at: FLOW, input: "on", key: "g" });
    },
    expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
    states: { w: [`note="${OTHER}" phase="on"`] },
  },
  {
    name: "a workflow's state edited for the state that was read",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.wait(300);
      const expected = await readState(client, "w", "Flow");
      await editAs(client, "w", { note: LARGE }, { service: "Flow", expected });
      await client.call("go", { at: FLOW, input: "on", key: "g" });
    },
    expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
    // If the run begins late, the operator's edit is for the state before it, and the run's first change refuses the edit.
    states: { w: [`note="${LARGE}" phase="on"`, 'phase="on"'] },
  },
];

export const EDITS: readonly Scenario[] = PLAYED.map((played) => ({ keyed: "quiet", at: CHANGES, ...played }));
