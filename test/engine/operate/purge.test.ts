/** Purges and drops of journals: what they remove, and what they leave. */
import type { InvocationView } from "../../../shared/engine/ports/submission.ts";
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import {
  type Actor,
  callOn,
  LEASE_MS,
  type Stage,
  type StageSettings,
  sendOn,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import { addCount, callKeyed, getCount, keyed, objectOf, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import { acceptanceOf } from "../../harness/engine/named-calls.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function play(handlers: Record<string, Handler>, settings: StageSettings = {}) {
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor };
}

const steps: Handler = async (ctx) => {
  const one = await ctx.get(ctx.run("one", () => "1"));
  const until = ctx.sleep(Number(ctx.input));
  await ctx.get(until);
  return `${one} and a secret`;
};

const skOf = async ({ stores }: Stage, id: InvocationId) =>
  (await stores.table.query(`inv#${id}`)).items.map(({ sk }) => sk.replace(/#[0-9A-Za-z]{11}/, "#nonce"));

async function holds({ stores }: Stage, id: InvocationId, text: string): Promise<boolean> {
  const { items } = await stores.table.query(`inv#${id}`);
  return items.some((item) =>
    Object.values(item).some((value) => value instanceof Uint8Array && Buffer.from(value).includes(text)),
  );
}

async function ended(actor: Actor, stage: Stage, key?: string) {
  const input = String(stage.pulse.nowMs() + 5_000);
  const { invocationId } = await sendOn(actor, "steps", input, key === undefined ? {} : { idempotencyKey: key });
  await stage.pulse.pass(20_000);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
  return { id: invocationId, input };
}

test("a purge removes all content: status, result, input and output", async () => {
  const { stage, actor } = await play({ steps });
  const { id, input } = await ended(actor, stage);
  expect([await holds(stage, id, "and a secret"), await holds(stage, id, input)]).toEqual([true, true]);
  expect(await purge(actor.engine, id)).toBe("done");
  expect(await inspect(actor.engine, id)).toBeUndefined();
  expect(await stage.pulse.within(1_000, output(actor.engine, id))).toEqual({ kind: "unknown" });
  expect(await purge(actor.engine, id)).toBe("unknown");
  expect(await purgeJournal(actor.engine, id)).toBe("unknown");
  expect([await holds(stage, id, "and a secret"), await holds(stage, id, input)]).toEqual([false, false]);
  // The remaining segment is a tombstone, which fences a driver that read the acceptance before the purge removed it.
  expect(await skOf(stage, id)).toEqual([expect.stringMatching(/^seg#nonce#00000\d$/)]);
});

test("a purged key gets a new life without items of the old one, even if an old message comes late", async () => {
  const { stage, actor } = await play({ steps });
  const { id } = await ended(actor, stage, "one");
  await purge(actor.engine, id);
  await stage.pulse.during(consumeWake(actor.engine, { invocationId: id, sentAtMs: 0, delayMs: 0 }));
  const attempts = stage.deployment.attempts.length;
  const again = await ended(actor, stage, "one");
  expect(again.id).toBe(id);
  expect(stage.deployment.attempts.length).toBe(2 * attempts);
  const end = await attach(actor.engine, id);
  expect(end.kind === "ended" && textOf(end)).toBe("1 and a secret");
});

test("a driver that read the invocation before its purge begins nothing", async () => {
  const { stage, actor } = await play({ quick: () => "done" });
  await stage.pulse.within(1_000, callOn(actor, "quick"));
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  const late = stage.actor();
  // The purge falls between two pages of the late driver's read: the first page contains the acceptance, the second page only
  // the tombstone.
  const { table } = late.engine;
  let halves = 0;
  const query: typeof table.query = async (pk, range = {}) => {
    if (pk !== `inv#${id}` || range.from !== "arr#") return await table.query(pk, range);
    const first = await table.query(pk, { ...range, below: "seg#000001" });
    if (halves++ === 0) await purge(actor.engine, id);
    const rest = await table.query(pk, { ...range, from: "seg#000001" });
    return { items: [...first.items, ...rest.items] };
  };
  const slow = {
    ...late.engine,
    table: new Proxy(table, { get: (t, name) => (name === "query" ? query : Reflect.get(t, name)) }),
  };
  await stage.pulse.during(consumeWake(slow, { invocationId: id, sentAtMs: stage.pulse.nowMs(), delayMs: 0 }));
  expect(halves).toBeGreaterThan(0);
  await stage.pulse.pass(HOUR_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
});

/** The view without the parts that only the journal shows: entries, failed attempts, the moments of attempts, and the usage. */
function withoutJournal({ usage, ...view }: InvocationView): Omit<InvocationView, "usage"> {
  expect(usage).toBeDefined();
  return { ...view, entryCount: 0, entries: [], events: [], attemptsStored: [] };
}

test("an invocation without its journal keeps status and result", async () => {
  const { stage, actor } = await play({ steps });
  const { id, input } = await ended(actor, stage);
  const before = (await inspect(actor.engine, id))!;
  expect(before.entries.length).toBeGreaterThan(3);
  expect(await purgeJournal(actor.engine, id)).toBe("done");
  expect(await inspect(actor.engine, id)).toEqual(withoutJournal(before));
  const end = await attach(actor.engine, id);
  expect(end.kind === "ended" && textOf(end)).toBe("1 and a secret");
  expect(await holds(stage, id, input)).toBe(false);
  expect(await purgeJournal(actor.engine, id)).toBe("done");
  expect(await purge(actor.engine, id)).toBe("done");
  expect(await inspect(actor.engine, id)).toBeUndefined();
});

test("a purge first performs the final effects that a dying driver left out", async () => {
  const { stage, actor } = await play({ sends: (ctx) => (ctx.send("other", "x"), "done"), other: () => "" });
  const dying = stage.actor();
  crashBefore(dying, acceptanceOf("other"));
  void callOn(dying, "sends").catch(() => undefined);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  await stage.pulse.within(0, purge(actor.engine, id));
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("other")).toHaveLength(1);
});

test("a redo of the caller does not create a purged child again", async () => {
  const { stage, actor } = await play({ sends: (ctx) => (ctx.send("other", "x"), "done"), other: () => "" });
  await stage.pulse.within(1_000, callOn(actor, "sends"));
  await stage.pulse.pass(1_000);
  const [caller, child] = ["sends", "other"].map((name) => stage.deployment.of(name)[0]!.start.debugId as InvocationId);
  expect(await purge(actor.engine, child!)).toBe("done");
  expect(await inspect(actor.engine, child!)).toBeUndefined();
  expect(await stage.pulse.within(0, purge(actor.engine, caller!))).toBe("done");
  await stage.pulse.pass(HOUR_MS);
  expect(stage.deployment.of("other")).toHaveLength(1);
});

test("a purge of an open or unknown invocation is refused", async () => {
  const { stage, actor } = await play({ waits: (ctx) => ctx.get(ctx.awakeable().result) });
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.settle();
  expect(await purge(actor.engine, invocationId)).toBe("open");
  expect(await purgeJournal(actor.engine, invocationId)).toBe("open");
  await kill(actor.engine, invocationId);
  expect(await purge(actor.engine, invocationId)).toBe("done");
});

test.each([
  ["never parked", "quick", ""],
  ["parked", "steps", "parked"],
])(
  "a journal with a shorter retention is removed before the result of an invocation that was %s",
  async (_, handler, input) => {
    const { stage, actor } = await play(
      { quick: (ctx) => ctx.get(ctx.run("one", () => "a secret")), steps },
      { journalRetentionMs: 2 * HOUR_MS, idempotencyRetentionMs: 2 * DAY_MS },
    );
    const text = input === "" ? "told" : String(stage.pulse.nowMs() + 30 * MINUTE_MS);
    const { invocationId: id } = await sendOn(actor, handler, text);
    let sweptMs = stage.pulse.nowMs();
    const passMinutes = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 5) {
        await stage.pulse.pass(5 * MINUTE_MS);
        await stage.pulse.during(sweep(actor.engine, sweptMs - 5 * MINUTE_MS));
        sweptMs = stage.pulse.nowMs();
      }
    };
    await passMinutes(40);
    const whole = (await inspect(actor.engine, id))!;
    expect(whole).toMatchObject({ status: "completed" });
    expect(whole.entries.length).toBeGreaterThan(2);
    await passMinutes(2 * 60);
    expect(await inspect(actor.engine, id)).toEqual(withoutJournal(whole));
    expect(await holds(stage, id, text)).toBe(false);
    expect((await skOf(stage, id)).filter((sk) => sk.startsWith("seg#nonce"))).toHaveLength(1);
    const end = await attach(actor.engine, id);
    expect(end.kind === "ended" && textOf(end)).toContain("a secret");
    // The sweeper does not look at the invocation again.
    expect((await sweep(actor.engine, stage.pulse.nowMs())).woken).toBe(0);
    await stage.pulse.pass(LEASE_MS);
  },
);

test("a journal with a retention of zero is not shown after the end", async () => {
  const { stage, actor } = await play({ quick: () => "done" }, { journalRetentionMs: 0 });
  await stage.pulse.within(1_000, callOn(actor, "quick"));
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed", entries: [] });
});

test("a purge of a workflow's run that fails in the middle is completed when it is repeated", async () => {
  const { stage, actor } = await play(
    {
      run: (ctx) => {
        const state = new ScriptState(ctx);
        for (const name of ["a", "b", "c"]) state.set(name, name.repeat(400));
        return "ran";
      },
    },
    { services: [workflowOf()] },
  );
  await stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", "run")));
  const id = workflowId(actor.engine, { service: "W", key: "w" });
  let failures = 1;
  const isOfState = ({ method, args }: PortCall) =>
    method === "delete" && String((args[0] as { sk?: string }).sk).startsWith("state#");
  actor.process.before = (call) => {
    if (!isOfState(call) || failures-- <= 0) return undefined;
    throw new StoreError("throttled");
  };
  await expect(stage.pulse.within(1_000, purge(actor.engine, id))).rejects.toThrow("throttled");
  expect(await stage.pulse.within(1_000, purge(actor.engine, id))).toBe("done");
  const { items } = await actor.engine.table.query("obj#W#w");
  expect(items.map(({ sk }) => sk)).toEqual(["lock"]);
});

test("the purge of a workflow's run removes the state, and another run can start under the key", async () => {
  const stage = await open({ run: addCount, get: getCount }, { services: [workflowOf(["get"])] });
  const actor = stage.actor();
  const run = keyed("W", "w", "run", "5");
  const ask = async () => textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("W", "w", "get"))));
  const { invocationId } = await stage.pulse.within(1_000, callKeyed(actor, run));
  expect(await ask()).toBe("5");
  expect(await stage.pulse.within(1_000, purgeJournal(actor.engine, invocationId))).toBe("done");
  expect(await ask()).toBe("5");
  expect(await stage.pulse.within(1_000, purge(actor.engine, invocationId))).toBe("done");
  expect(await ask()).toBe("nothing");
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, run)))).toBe("5");
});

test("the purge of an exclusive call leaves the state of its key", async () => {
  const stage = await open({ add: addCount, get: getCount }, { services: [objectOf(["add"], ["get"])] });
  const actor = stage.actor();
  const { invocationId } = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "5")));
  expect(await stage.pulse.within(1_000, purge(actor.engine, invocationId))).toBe("done");
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "get"))))).toBe("5");
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "5"))))).toBe("10");
});
