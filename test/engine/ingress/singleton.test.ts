/** Singleton keys and debounce: of one target and key, one invocation at a time is the current one. */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { RequestOptions } from "../../../shared/core/model/request-options.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { extendOpen } from "../../../shared/engine/lease/extend.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, callOn, sendOn, type Stage, submission, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const echo: Handler = (ctx) => ctx.input;
/** Waits for an hour, unless it is cancelled. */
const waits: Handler = async (ctx) => await ctx.get(ctx.awakeable().result);
/** Takes no cancel. */
const stubborn: Handler = () => new Promise(() => undefined);

const keyed = (more: RequestOptions = {}) => ({ options: { singleton: "k", ...more } });
const replacing = keyed({ onDuplicate: "replace" });
const inputsOf = (stage: Stage, handler: string) => stage.deployment.of(handler).map(({ input }) => input);

async function play(handlers: Record<string, Handler>, settings = {}) {
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor };
}

/** The end as its caller gets it. */
async function endOf({ engine }: Actor, id: InvocationId): Promise<string> {
  const view = await inspect(engine, id);
  if (view?.status !== "completed") return view?.status ?? "gone";
  return view.failure === undefined ? "succeeded" : `${view.failure.code} ${view.failure.message}`;
}

const REPLACED =
  /^409 \[RT0913\] A later request with the same singleton key replaced the invocation: replaced by inv_/;

describe("a request with the singleton key of an open invocation", () => {
  test("attaches to that invocation: a send gets its id, and a call its result", async () => {
    const gate = new Gate();
    const { stage, actor } = await play({ slow: (ctx) => gate.passed.then(() => `of ${ctx.input}`) });
    const first = await sendOn(actor, "slow", "first", keyed());
    await stage.pulse.settle();
    expect(await sendOn(actor, "slow", "second", keyed())).toEqual({ ...first, status: "previously-accepted" });
    const third = callOn(actor, "slow", "third", keyed());
    await stage.pulse.settle();
    gate.open();
    const ended = await stage.pulse.within(SECOND_MS, third);
    expect([ended.invocationId, textOf(ended)]).toEqual([first.invocationId, "of first"]);
    expect(inputsOf(stage, "slow")).toEqual(["first"]);
  });

  test("is refused with the id of that invocation, if it asks for that", async () => {
    const { stage, actor } = await play({ waits });
    const { invocationId } = await sendOn(actor, "waits", "", keyed());
    await stage.pulse.settle();
    const refusing = submission("waits", "", keyed({ onDuplicate: "refuse" }));
    expect(await send(actor.engine, refusing)).toEqual({ kind: "held", by: invocationId });
    expect(await call(actor.engine, refusing)).toEqual({ kind: "held", by: invocationId });
  });

  test("replaces one that waits for its start, which ends at once and does not run", async () => {
    const { stage, actor } = await play({ echo });
    const startAtMs = stage.pulse.nowMs() + HOUR_MS;
    const former = await sendOn(actor, "echo", "old", { ...keyed(), startAtMs });
    const next = await stage.pulse.within(SECOND_MS, callOn(actor, "echo", "new", replacing));
    expect(textOf(next)).toBe("new");
    expect(await endOf(actor, former.invocationId)).toBe(
      `409 [RT0913] A later request with the same singleton key replaced the invocation: replaced by ${next.invocationId}`,
    );
    await stage.pulse.pass(2 * HOUR_MS);
    expect(inputsOf(stage, "echo")).toEqual(["new"]);
  });

  test("replaces one that runs: it gets a cancel, and the new one starts at once", async () => {
    const { stage, actor } = await play({ waits });
    const former = callOn(actor, "waits", "old", keyed());
    await stage.pulse.settle();
    await sendOn(actor, "waits", "new", replacing);
    expect(textOf(await stage.pulse.within(SECOND_MS, former))).toBe("409 Cancelled");
    expect(inputsOf(stage, "waits").sort()).toEqual(["new", "old", "old"]);
  });

  test.each([true, false])(
    "replaces one that takes no cancel: it is killed after the grace (sole owner: %s)",
    async (soleOwner) => {
      const stage = await open({ stubborn });
      const actor = stage.actor({ soleOwner });
      actor.startWorker();
      const former = callOn(actor, "stubborn", "old", keyed());
      await stage.pulse.pass(SECOND_MS);
      await sendOn(actor, "stubborn", "new", replacing);
      await stage.pulse.pass(29 * SECOND_MS);
      const id = stage.deployment.of("stubborn")[0]!.start.debugId as InvocationId;
      expect(await endOf(actor, id)).not.toMatch(REPLACED);
      expect(textOf(await stage.pulse.within(3 * SECOND_MS, former))).toMatch(REPLACED);
      expect(stage.deployment.of("stubborn")[0]!.aborted).toBe(true);
      expect(inputsOf(stage, "stubborn")).toEqual(["old", "new"]);
    },
  );

  test("leaves requests with other keys, of other handlers and of other callers alone", async () => {
    const { stage, actor } = await play({ waits, others: waits });
    const sent = [
      await sendOn(actor, "waits", "", keyed()),
      await sendOn(actor, "waits", "", keyed({ singleton: "other" })),
      await sendOn(actor, "others", "", keyed()),
      await sendOn(actor, "waits", "", { ...keyed(), singletonOwner: "ada" }),
      await sendOn(actor, "waits", ""),
    ];
    await stage.pulse.settle();
    expect(new Set(sent.map(({ invocationId }) => invocationId)).size).toBe(sent.length);
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set(["accepted"]));
  });
});

describe("a key becomes free", () => {
  test("at the end of its invocation, by a purge, and when its result has expired", async () => {
    const { stage, actor } = await play({ echo }, { idempotencyRetentionMs: HOUR_MS });
    const calls = async (input: string) =>
      textOf(await stage.pulse.within(2 * SECOND_MS, callOn(actor, "echo", input, keyed({ onDuplicate: "refuse" }))));
    expect(await calls("1")).toBe("1");
    expect(await calls("2")).toBe("2");
    await purge(actor.engine, stage.deployment.of("echo")[1]!.start.debugId as InvocationId);
    expect(await calls("3")).toBe("3");
    await stage.pulse.pass(2 * HOUR_MS);
    expect(await calls("4")).toBe("4");
  });

  test("not by a restart of its former invocation, which runs beside it", async () => {
    const gate = new Gate();
    const { stage, actor } = await play({ slow: (ctx) => (ctx.input === "2" ? gate.passed.then(() => "2") : "1") });
    const { invocationId } = await stage.pulse.within(SECOND_MS, callOn(actor, "slow", "1", keyed()));
    const second = await sendOn(actor, "slow", "2", keyed());
    await restart(actor.engine, invocationId, 0, { kind: "latest" });
    await stage.pulse.pass(SECOND_MS);
    expect(inputsOf(stage, "slow")).toEqual(["1", "2", "1"]);
    expect((await sendOn(actor, "slow", "3", keyed())).invocationId).toBe(second.invocationId);
  });

  test("not while its invocation is open for months", async () => {
    const { stage, actor } = await play({ waits });
    const { invocationId } = await sendOn(actor, "waits", "", keyed());
    await stage.pulse.settle();
    const { acceptance } = (await load(actor.engine, invocationId))!.invocation;
    const current = await stage.stores.table.get({ pk: `inv#${acceptance.singleton!.place}`, sk: "single" });
    await stage.pulse.pass(HOUR_MS);
    await extendOpen(actor.engine, invocationId, acceptance.nonce);
    const extended = await stage.stores.table.get({ pk: `inv#${acceptance.singleton!.place}`, sk: "single" });
    expect(Number(extended!["expiresAtS"])).toBeGreaterThan(Number(current!["expiresAtS"]) + 86_400);
  });
});

describe("debounce", () => {
  const debounced = keyed({ debounceMs: 2 * SECOND_MS });

  test("starts the last of several requests after a quiet time, and the callers of the others get RT0913", async () => {
    const { stage, actor } = await play({ echo });
    const results: Promise<string>[] = [];
    for (const input of ["a", "ab", "abc"]) {
      results.push(callOn(actor, "echo", input, debounced).then(textOf));
      await stage.pulse.pass(SECOND_MS);
    }
    expect(inputsOf(stage, "echo")).toEqual([]);
    const [first, second, third] = await stage.pulse.within(2 * SECOND_MS, Promise.all(results));
    expect([first, second]).toEqual([expect.stringMatching(REPLACED), expect.stringMatching(REPLACED)]);
    expect(third).toBe("abc");
    expect(inputsOf(stage, "echo")).toEqual(["abc"]);
  });

  test("leaves alone an invocation that has started, and starts the next one after its own quiet time", async () => {
    const { stage, actor } = await play({ waits });
    await sendOn(actor, "waits", "old", debounced);
    await stage.pulse.pass(3 * SECOND_MS);
    expect(inputsOf(stage, "waits")).toEqual(["old"]);
    await sendOn(actor, "waits", "new", debounced);
    await stage.pulse.pass(MINUTE_MS);
    expect(inputsOf(stage, "waits")).toEqual(["old", "new"]);
    await sendOn(actor, "waits", "newest", keyed({ debounceMs: SECOND_MS, onDuplicate: "replace" }));
    await stage.pulse.pass(MINUTE_MS);
    expect(inputsOf(stage, "waits")).toEqual(["old", "new", "new", "newest"]);
  });

  test("a send says when it will start", async () => {
    const { stage, actor } = await play({ echo });
    const atMs = stage.pulse.nowMs();
    expect(await sendOn(actor, "echo", "", debounced)).toMatchObject({ executionTimeMs: atMs + 2 * SECOND_MS });
  });
});

describe("several processes", () => {
  test("of two requests at once, one is accepted and the other attaches", async () => {
    const stage = await open({ waits });
    const [one, other] = [stage.actor(), stage.actor()];
    const sending = Promise.all([sendOn(one, "waits", "1", keyed()), sendOn(other, "waits", "2", keyed())]);
    const [first, second] = await stage.pulse.within(2 * SECOND_MS, sending);
    expect(first.invocationId).toBe(second.invocationId);
    expect([first.status, second.status].sort()).toEqual(["accepted", "previously-accepted"]);
  });

  test("a request that is slow to be accepted is refused its place, and attaches to the one that took it for dead", async () => {
    const stage = await open({ waits });
    const [slow, quick] = [stage.actor(), stage.actor()];
    slow.process.before = ({ method, args }) =>
      method === "put" && (args[0] as { sk: string }).sk === "seg#000000"
        ? stage.pulse.sleep(MINUTE_MS).then(() => undefined)
        : undefined;
    const late = sendOn(slow, "waits", "late", keyed());
    await stage.pulse.settle();
    const taken = await stage.pulse.within(5 * SECOND_MS, sendOn(quick, "waits", "taken", keyed()));
    slow.startWorker();
    expect((await stage.pulse.within(5 * MINUTE_MS, late)).invocationId).toBe(taken.invocationId);
    expect(inputsOf(stage, "waits")).toEqual(["taken"]);
  });

  test("a former invocation is told although its replacement is killed before a driver comes", async () => {
    const { stage, actor } = await play({ waits });
    const former = callOn(actor, "waits", "old", keyed());
    await stage.pulse.settle();
    const dying = stage.actor();
    let id = "";
    dying.process.before = ({ method, args }) => {
      const { pk = "", sk = "" } = method === "put" ? (args[0] as { pk: string; sk: string }) : {};
      if (sk === "seg#000000") id = pk.slice("inv#".length);
      if (!sk.endsWith("#replaced")) return undefined;
      dying.die();
      return new Promise(() => undefined);
    };
    void sendOn(dying, "waits", "new", { ...replacing, startAtMs: stage.pulse.nowMs() + HOUR_MS }).catch(
      () => undefined,
    );
    await stage.pulse.pass(SECOND_MS);
    expect(await kill(actor.engine, id as InvocationId)).toBe("done");
    expect(textOf(await stage.pulse.within(MINUTE_MS, former))).toBe("409 Cancelled");
    expect(inputsOf(stage, "waits")).toEqual(["old", "old"]);
  });

  const WRITES = Array.from({ length: 9 }, (_, at) => at);

  /** Sends a replacement from a process that dies after some writes; another process then works and sweeps for half an hour. */
  async function replacedByDying(stage: Stage, handler: string, writes: number): Promise<Actor> {
    const dying = stage.actor();
    let left = writes;
    dying.process.before = ({ port, method }) => {
      const isWrite = (port === "table" && (method === "put" || method === "update")) || method === "send";
      if (!isWrite || left-- > 0) return undefined;
      dying.die();
      return new Promise(() => undefined);
    };
    void sendOn(dying, handler, "new", replacing).catch(() => undefined);
    await stage.pulse.pass(SECOND_MS);
    const survivor = stage.actor();
    survivor.startWorker();
    for (let minute = 0; minute < 30; minute++) {
      await stage.pulse.pass(MINUTE_MS);
      await sweep(survivor.engine, stage.pulse.nowMs() - HOUR_MS);
    }
    return survivor;
  }

  test.each(WRITES)(
    "a process that dies after %i writes replaces one that waits for its start, or none",
    async (writes) => {
      const stage = await open({ echo });
      const startAtMs = stage.pulse.nowMs() + 2 * MINUTE_MS;
      const old = await sendOn(stage.actor(), "echo", "old", { ...keyed(), startAtMs });
      const survivor = await replacedByDying(stage, "echo", writes);
      // If the process dies before it tells the former one, that one may come to its start before the new one is found.
      const ran = inputsOf(stage, "echo");
      const end = await endOf(survivor, old.invocationId);
      if (end === "succeeded") expect(ran[0]).toBe("old");
      else expect([end, ran]).toEqual([expect.stringMatching(REPLACED), ["new"]]);
    },
  );

  test.each(WRITES)(
    "a process that dies after %i writes leaves one of two invocations open, which a later request meets",
    async (writes) => {
      const stage = await open({ waits });
      const first = stage.actor();
      first.startWorker();
      const old = await sendOn(first, "waits", "old", keyed());
      await stage.pulse.settle();
      const survivor = await replacedByDying(stage, "waits", writes);
      const later = await sendOn(survivor, "waits", "later", keyed());
      expect(later.status).toBe("previously-accepted");
      const isOldOpen = later.invocationId === old.invocationId;
      expect(await endOf(survivor, old.invocationId)).toMatch(isOldOpen ? /^suspended$/ : /^409 Cancelled$|RT0913/);
      expect(inputsOf(stage, "waits").includes("new")).toBe(!isOldOpen);
    },
  );
});
