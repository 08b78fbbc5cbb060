/** The scenarios of keys: free and contended keys, waiting, state, workflows and operators. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { At, Client } from "./client.ts";
import { edit, pauseAndResume, pauseUntilNext, purgeEnded, restartEnded } from "./operator.ts";
import { CHANGES, ENDED, type Expected, type Scenario } from "./scenarios.ts";
import { STUMBLES } from "./step.ts";

const BOX: At = { service: "Box", key: "k" };
const FLOW: At = { service: "Flow", key: "w" };
const LARGE = ".".repeat(700);

const times = (least: number, most: number, ...outcomes: string[]): Expected => ({ count: [least, most], outcomes });
const once = (...outcomes: string[]): Expected => times(1, 1, ...outcomes);
const PUSHED = '"<pushed>"';
const SLEPT = '["<before>","<after>"]';
const SLOW_CALLED = /^endpoints\.POST \/invoke\/Box\/slow/;

/** Each send has an idempotency key, which is its name. */
const sendTo = async (client: Client, handler: string, name: string): Promise<InvocationId> =>
  (await client.send(handler, { at: BOX, input: name, key: name }))!;
const callTo = (client: Client, handler: string, name: string): Promise<void> =>
  client.call(handler, { at: BOX, input: name, key: name });
const holdFor = async (client: Client, name: string, ms: number): Promise<InvocationId> =>
  (await client.send("slow", { at: BOX, input: { name, ms }, key: name }))!;

async function contend(client: Client): Promise<void> {
  await holdFor(client, "a", 2_000);
  await client.wait(300);
  await Promise.all([callTo(client, "push", "b"), sendTo(client, "push", "c").then(() => callTo(client, "push", "d"))]);
}

async function interrupted(client: Client, interrupt: (id: InvocationId) => Promise<unknown>): Promise<void> {
  await holdFor(client, "a", 3_000);
  await client.wait(300);
  const waiting = await sendTo(client, "push", "b");
  await sendTo(client, "push", "c");
  await client.wait(300);
  await interrupt(waiting);
  await callTo(client, "push", "d");
}

const INTERRUPTED: Readonly<Record<string, Expected>> = { slow: once(SLEPT), push: times(3, 3, PUSHED, "failed 409") };

const RACED: ReadonlySet<string> = new Set([
  "one key, one after another",
  "state changed step by step",
  "contended key",
  "the holder of a key is killed",
  "state edited in turn",
]);

const log = (...names: string[]): string => `log=${JSON.stringify(names)}`;

const PLAYED: readonly Scenario[] = [
  {
    name: "exclusive call",
    play: (client) => client.call("push", { at: BOX, input: "a" }),
    expected: { push: once(PUSHED) },
  },
  {
    name: "two sends and a call to one key",
    play: (client) => client.call("fan", { input: "k", key: "f" }),
    expected: { fan: once(PUSHED), push: times(3, 3, PUSHED) },
    states: { k: [log("a", "b", "c")] },
  },
  { name: "contended key", play: contend, expected: { slow: once(SLEPT), push: times(3, 3, PUSHED) } },
  {
    name: "contended key, two crashes",
    play: contend,
    expected: { slow: once(SLEPT), push: times(3, 3, PUSHED) },
    diesAfter: SLOW_CALLED,
  },
  {
    // The last segment moves values beside the lock, so in every store the give-back is a separate write after the segment.
    name: "key not given back, hints lost",
    async play(client) {
      await sendTo(client, "grow", "a");
      await sendTo(client, "push", "b");
    },
    expected: { grow: once('"<grown>"'), push: once(PUSHED) },
    diesAfter: ENDED,
    losesHints: true,
    at: CHANGES,
  },
  {
    name: "promise not completed, hints lost",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.send("go", { at: FLOW, input: "on", key: "g" });
    },
    expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
    states: { w: ['phase="on"'] },
    diesAfter: ENDED,
    losesHints: true,
    at: CHANGES,
  },
  {
    name: "one key, one after another",
    async play(client) {
      await sendTo(client, "push", "a");
      await client.wait(1_000);
      await callTo(client, "push", "b");
    },
    expected: { push: times(2, 2, PUSHED) },
  },
  {
    name: "sends without idempotency keys, behind a slow one",
    async play(client) {
      await client.send("slow", { at: BOX, input: { name: "a", ms: 1_000 } });
      await client.send("push", { at: BOX, input: "b" });
      await client.send("push", { at: BOX, input: "c" });
      await callTo(client, "push", "d");
    },
    expected: { slow: times(0, 1, SLEPT), push: times(1, 3, PUSHED) },
  },
  {
    name: "state changed step by step",
    play: (client) => callTo(client, "climb", "a"),
    expected: { climb: once('["<one>","<two>"]') },
  },
  {
    name: "killed while it waits for a key",
    play: (client) => interrupted(client, (id) => client.kill(id)),
    expected: INTERRUPTED,
  },
  {
    name: "cancelled while it waits for a key",
    play: (client) => interrupted(client, (id) => client.cancel(id)),
    expected: INTERRUPTED,
  },
  {
    name: "the holder of a key is killed",
    async play(client) {
      const holder = await holdFor(client, "a", 3_000);
      await client.wait(300);
      await sendTo(client, "push", "b");
      await client.kill(holder);
      await callTo(client, "push", "c");
    },
    expected: { slow: once(SLEPT, "failed 409"), push: times(2, 2, PUSHED) },
  },
  {
    name: "state beside the lock",
    async play(client) {
      await callTo(client, "grow", "g");
      await sendTo(client, "trim", "t");
      await callTo(client, "wipe", "w");
      await callTo(client, "grow", "h");
    },
    expected: { grow: times(2, 2, '"<grown>"'), trim: once('"<trimmed>"'), wipe: once('"<wiped>"') },
  },
  {
    name: "workflow and its promise",
    async play(client) {
      await client.send("run", { at: FLOW });
      await client.wait(300);
      await client.call("go", { at: FLOW, input: "on", key: "g" });
    },
    expected: { run: once('["<before>","on"]'), go: once('"<going>"') },
    states: { w: ['phase="on"'] },
  },
  {
    name: "state edited in turn",
    async play(client) {
      await holdFor(client, "a", 2_000);
      await client.wait(300);
      await edit(client, "k", { log: ["edited"], large: LARGE });
      await callTo(client, "push", "b");
    },
    expected: { slow: once(SLEPT), push: once(PUSHED) },
    states: { k: [`large="${LARGE}" ${log("edited", "b")}`] },
  },
  {
    name: "large state edited while the key is free",
    async play(client) {
      await callTo(client, "grow", "g");
      await edit(client, "k", { log: ["edited"], large: LARGE });
      await callTo(client, "push", "b");
    },
    expected: { grow: once('"<grown>"'), push: once(PUSHED) },
    states: { k: [`large="${LARGE}" ${log("edited", "b")}`] },
  },
  {
    name: "pause, then resume",
    async play(client) {
      const id = await sendTo(client, "tumble", "a");
      await client.wait(100);
      await sendTo(client, "push", "b");
      client.leftQueue.add(id);
      await pauseAndResume(client, id, 2_000);
      await callTo(client, "push", "c");
    },
    expected: { tumble: once('"<stumble>"'), push: times(2, 2, PUSHED) },
    needs: { stumble: STUMBLES + 1 },
  },
  {
    name: "pause in the queue of a key, then resume",
    async play(client) {
      await holdFor(client, "a", 1_000);
      await client.wait(200);
      const id = await sendTo(client, "push", "b");
      await client.wait(100);
      client.leftQueue.add(id);
      await pauseAndResume(client, id, 2_500);
      await callTo(client, "push", "c");
      await client.attach(id);
    },
    expected: { slow: once(SLEPT), push: times(2, 2, PUSHED) },
  },
  {
    name: "paused in the queue of a key until the next call ends",
    async play(client) {
      await holdFor(client, "a", 1_000);
      await client.wait(200);
      const id = await sendTo(client, "push", "b");
      await client.wait(100);
      await pauseUntilNext(client, id, () => callTo(client, "push", "c"));
    },
    expected: { slow: once(SLEPT), push: times(2, 2, PUSHED) },
  },
  {
    name: "restart that keeps an entry, paused until the next call ends",
    async play(client) {
      const id = await holdFor(client, "a", 300);
      await client.attach(id);
      await holdFor(client, "b", 1_500);
      const copy = await restartEnded(client, id, 1);
      await client.wait(100);
      await pauseUntilNext(client, copy, () => callTo(client, "push", "c"));
    },
    expected: { slow: times(3, 4, SLEPT), push: once(PUSHED) },
    keptEntries: 1,
  },
  {
    name: "purge, then the same id again",
    async play(client) {
      const id = await sendTo(client, "push", "a");
      await client.attach(id);
      await purgeEnded(client, id);
      await callTo(client, "push", "a");
      await callTo(client, "push", "b");
    },
    expected: { push: times(2, 2, PUSHED) },
    states: { k: [log("a", "a", "b")] },
    needs: { pushed: 2 },
  },
  {
    name: "purge of a workflow, then another run",
    async play(client) {
      const id = (await client.send("run", { at: FLOW }))!;
      await client.call("go", { at: FLOW, input: "one", key: "1" });
      await client.attach(id);
      await purgeEnded(client, id);
      await client.send("run", { at: FLOW });
      await client.call("go", { at: FLOW, input: "two", key: "2" });
    },
    expected: { run: once('["<before>","two"]'), go: times(2, 2, '"<going>"') },
    states: { w: ['phase="two"'] },
    needs: { before: 2 },
  },
  {
    name: "restarted as new",
    async play(client) {
      const id = await holdFor(client, "a", 500);
      await restartEnded(client, id, 0);
      await callTo(client, "push", "b");
    },
    expected: { slow: times(2, 3, SLEPT), push: once(PUSHED) },
  },
  {
    name: "restarted with the first entry after the input",
    async play(client) {
      const id = await holdFor(client, "a", 500);
      await restartEnded(client, id, 1);
      await callTo(client, "push", "b");
    },
    expected: { slow: times(2, 3, SLEPT), push: once(PUSHED) },
    keptEntries: 1,
  },
];

export const KEYED_SCENARIOS: readonly Scenario[] = PLAYED.map((played) => ({
  keyed: RACED.has(played.name) ? "raced" : "quiet",
  ...played,
}));
