/** Deadlines: what has not started in time never runs, and what has not ended in time is cancelled, and then killed. */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { service } from "../../core/registry/sample-deployment.ts";
import { type Actor, callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const NOT_STARTED = /^408 \[RT0910\] The invocation did not start in time: it waited longer than 5s/;
const NOT_ENDED = "504 [RT0911] The invocation did not end in time: it was cancelled after 1m, and killed 30s later";

const hangs: Handler = () => new Promise(() => undefined);
const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(Number(ctx.input)));
  return "slept";
};
const stumbles: Handler = () => {
  throw new Error("never well");
};
const pauses: Handler = () => {
  throw new AttemptFails("hold it", { behavior: 1 });
};
const echo: Handler = (ctx) => ctx.input;

async function play(handlers: Record<string, Handler>, settings = {}) {
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, far: String(stage.pulse.nowMs() + HOUR_MS) };
}

const idIn = (stage: Stage, handler: string) => stage.deployment.of(handler)[0]!.start.debugId as InvocationId;
const acceptanceOf = async ({ engine }: Actor, id: string) =>
  (await load(engine, id as InvocationId))!.invocation.acceptance;

describe("an invocation that does not start in time", () => {
  test.each([true, false])(
    "ends in the queue of its key, and the queue goes on (sole owner: %s)",
    async (soleOwner) => {
      const gate = new Gate();
      const stage = await open(
        { slow: () => gate.passed.then(() => "slow"), quick: echo },
        { services: [objectOf(["slow", "quick"])] },
      );
      const actor = stage.actor({ soleOwner });
      actor.startWorker();
      const slow = callKeyed(actor, keyed("O", "k", "slow"));
      await stage.pulse.settle();
      const late = callKeyed(actor, { ...keyed("O", "k", "quick", "late"), options: { startWithinMs: 5 * SECOND_MS } });
      const sent = await sendKeyed(actor, {
        ...keyed("O", "k", "quick", "sent"),
        options: { startWithinMs: 5 * SECOND_MS },
      });
      const patient = callKeyed(actor, keyed("O", "k", "quick", "patient"));
      await stage.pulse.pass(4_900);
      expect(await inspect(actor.engine, sent.invocationId)).not.toMatchObject({ status: "completed" });
      expect(textOf(await stage.pulse.within(5 * SECOND_MS, late))).toMatch(NOT_STARTED);
      await stage.pulse.pass(SECOND_MS);
      expect(await inspect(actor.engine, sent.invocationId)).toMatchObject({
        status: "completed",
        failure: { code: 408 },
      });
      gate.open();
      expect(textOf(await stage.pulse.within(5 * SECOND_MS, slow))).toBe("slow");
      expect(textOf(await stage.pulse.within(5 * SECOND_MS, patient))).toBe("patient");
      expect(stage.deployment.of("quick").map(({ input }) => input)).toEqual(["patient"]);
    },
  );

  test("ends although the message of its deadline is lost, once the sweeper looks", async () => {
    const stage = await open({ slow: hangs, quick: echo }, { services: [objectOf(["slow", "quick"])] });
    const actor = stage.actor();
    void callKeyed(actor, keyed("O", "k", "slow"));
    await stage.pulse.settle();
    const { invocationId } = await sendKeyed(actor, {
      ...keyed("O", "k", "quick"),
      options: { startWithinMs: 5 * SECOND_MS },
    });
    await stage.wipeHints();
    const other = stage.actor();
    other.startWorker();
    await stage.pulse.pass(6 * SECOND_MS);
    await sweep(other.engine, stage.pulse.nowMs());
    await stage.pulse.pass(SECOND_MS);
    expect(await inspect(other.engine, invocationId)).toMatchObject({ status: "completed", failure: { code: 408 } });
  });

  test("has the time from the end of its delay on", async () => {
    const { stage, actor } = await play({ echo });
    const startAtMs = stage.pulse.nowMs() + HOUR_MS;
    const { invocationId } = await sendOn(actor, "echo", "x", { startAtMs, options: { startWithinMs: 5 * SECOND_MS } });
    expect(await inspect(actor.engine, invocationId)).toMatchObject({ startByMs: startAtMs + 5 * SECOND_MS });
    await stage.pulse.pass(HOUR_MS + SECOND_MS);
    expect(stage.deployment.of("echo")).toHaveLength(1);
  });

  test("ends while it is paused before its first attempt", async () => {
    const { stage, actor } = await play({ echo });
    const startAtMs = stage.pulse.nowMs() + SECOND_MS;
    const { invocationId } = await sendOn(actor, "echo", "x", { startAtMs, options: { startWithinMs: 5 * SECOND_MS } });
    await pause(actor.engine, invocationId);
    await stage.pulse.pass(7 * SECOND_MS);
    expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed", failure: { code: 408 } });
    expect(stage.deployment.attempts).toEqual([]);
  });

  test("delivers its failure to the handler that called it", async () => {
    const stage = await open(
      {
        parent: (ctx) =>
          ctx.get(
            ctx.call("quick", "x", {
              service: "O",
              key: "k",
              headers: [{ key: "x-stepwell-start-within", value: "5s" }],
            }),
          ),
        slow: hangs,
        quick: echo,
      },
      { services: [objectOf(["slow", "quick"])] },
    );
    const actor = stage.actor();
    actor.startWorker();
    void callKeyed(actor, keyed("O", "k", "slow"));
    await stage.pulse.settle();
    expect(textOf(await stage.pulse.within(8 * SECOND_MS, callOn(actor, "parent")))).toMatch(NOT_STARTED);
  });

  test("goes on if its first attempt has begun, however long it takes", async () => {
    const { stage, actor, far } = await play({ naps });
    const result = callOn(actor, "naps", far, { options: { startWithinMs: 5 * SECOND_MS } });
    expect(textOf(await stage.pulse.within(2 * HOUR_MS, result))).toBe("slept");
  });
});

describe("an invocation that does not end in time", () => {
  const MINUTE = { options: { endWithin: 60 * SECOND_MS } };

  test("gets a cancel at the deadline if it is suspended, and its handler may compensate", async () => {
    const { stage, actor, far } = await play({ naps });
    const result = callOn(actor, "naps", far, MINUTE);
    await stage.pulse.pass(59 * SECOND_MS);
    expect(stage.deployment.attempts).toHaveLength(1);
    expect(textOf(await stage.pulse.within(3 * SECOND_MS, result))).toBe("409 Cancelled");
    expect(stage.deployment.attempts).toHaveLength(2);
  });

  test("gets the cancel on its open exchange", async () => {
    const { stage, actor, far } = await play({ naps }, { opensExchanges: true, inactivityTimeoutMs: 2 * HOUR_MS });
    const result = callOn(actor, "naps", far, MINUTE);
    await stage.pulse.pass(59 * SECOND_MS);
    expect(textOf(await stage.pulse.within(3 * SECOND_MS, result))).toBe("409 Cancelled");
    expect(stage.deployment.attempts).toHaveLength(1);
  });

  test.each([
    ["backs off", stumbles],
    ["is paused", pauses],
    ["runs", hangs],
  ] as const)("is killed after the grace if it %s and takes no cancel", async (_what, handler) => {
    const { stage, actor } = await play({ handler }, { retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS } });
    const result = callOn(actor, "handler", "", MINUTE);
    await stage.pulse.pass(59 * SECOND_MS);
    expect(stage.deployment.attempts).toHaveLength(1);
    await stage.pulse.pass(30 * SECOND_MS);
    expect(await inspect(actor.engine, idIn(stage, "handler"))).not.toMatchObject({ status: "completed" });
    expect(textOf(await stage.pulse.within(3 * SECOND_MS, result))).toBe(NOT_ENDED);
    expect(await inspect(actor.engine, idIn(stage, "handler"))).toMatchObject({
      status: "completed",
      outcome: "killed",
    });
    const attempts = stage.deployment.attempts.length;
    await stage.pulse.pass(2 * HOUR_MS);
    expect(stage.deployment.attempts).toHaveLength(attempts);
  });

  test("takes its open calls with it when it is killed", async () => {
    const { stage, actor } = await play({
      async parent(ctx) {
        const call = ctx.call("hangs");
        return await ctx.get(call).catch((error: unknown) => {
          if (!(error instanceof TerminalError)) throw error;
          return ctx.get(call);
        });
      },
      hangs: async (ctx) => await ctx.get(ctx.awakeable().result).catch(() => new Promise(() => undefined)),
    });
    const result = callOn(actor, "parent", "", MINUTE);
    expect(textOf(await stage.pulse.within(95 * SECOND_MS, result))).toBe(NOT_ENDED);
    await stage.pulse.pass(SECOND_MS);
    expect(await inspect(actor.engine, idIn(stage, "hangs"))).toMatchObject({ failure: { message: "killed" } });
  });

  test("ends before its handler runs if it still waits for its start", async () => {
    const { stage, actor } = await play({ echo, slow: hangs }, { services: [objectOf(["slow", "echo"])] });
    void callKeyed(actor, keyed("O", "k", "slow"));
    await stage.pulse.settle();
    const result = callKeyed(actor, { ...keyed("O", "k", "echo"), ...MINUTE });
    expect(textOf(await stage.pulse.within(63 * SECOND_MS, result))).toBe(
      "504 [RT0911] The invocation did not end in time: it waited longer than 1m, so it ended before its handler ran",
    );
    expect(stage.deployment.of("echo")).toEqual([]);
  });

  test("is killed at once by a driver that comes after the grace", async () => {
    const stage = await open({ naps });
    const first = stage.actor();
    void callOn(first, "naps", String(stage.pulse.nowMs() + HOUR_MS), MINUTE);
    await stage.pulse.settle();
    const id = idIn(stage, "naps");
    first.die();
    await stage.pulse.pass(10 * 60 * SECOND_MS);
    const second = stage.actor();
    second.startWorker();
    await stage.pulse.pass(SECOND_MS);
    expect(await inspect(second.engine, id)).toMatchObject({ status: "completed", failure: { code: 504 } });
    expect(stage.deployment.attempts).toHaveLength(1);
  });
});

describe("where deadlines come from", () => {
  test("a call inherits what is left to its caller, and no more time than its own if the caller has no deadline", async () => {
    const headers = [{ key: "x-stepwell-end-within", value: "inherit" }];
    const { stage, actor } = await play({
      parent: async (ctx) => {
        await ctx.get(ctx.sleep(Number(ctx.input)));
        return await ctx.get(ctx.call("child", "", { headers }));
      },
      child: echo,
    });
    const acceptedAtMs = stage.pulse.nowMs();
    const input = String(acceptedAtMs + 20 * SECOND_MS);
    const options = { endWithin: 60 * SECOND_MS };
    await stage.pulse.within(30 * SECOND_MS, callOn(actor, "parent", input, { options }));
    await stage.pulse.within(30 * SECOND_MS, callOn(actor, "parent", input));
    const [inherited, free] = await Promise.all(
      stage.deployment.of("child").map(({ start }) => acceptanceOf(actor, start.debugId)),
    );
    expect(inherited).toMatchObject({ endByMs: acceptedAtMs + 60 * SECOND_MS, endGraceMs: 30 * SECOND_MS });
    expect(free).not.toHaveProperty("endByMs");
  });

  test("a handler has the deadlines of its service unless a request has its own", async () => {
    const settings = { startWithinMs: 7 * SECOND_MS, endWithinMs: 60 * SECOND_MS };
    const { stage, actor } = await play({ bounded: hangs }, { services: [service("T", ["bounded"], { settings })] });
    const target = { service: "T", handler: "bounded" };
    const result = callOn(actor, "", "", { target });
    expect(textOf(await stage.pulse.within(95 * SECOND_MS, result))).toBe(NOT_ENDED);
    const atMs = stage.pulse.nowMs();
    const own = await sendOn(actor, "", "", { target, options: { endWithin: 5 * SECOND_MS } });
    expect(await acceptanceOf(actor, own.invocationId)).toMatchObject({
      startByMs: atMs + 7 * SECOND_MS,
      endByMs: atMs + 5 * SECOND_MS,
    });
  });

  test("a restart has as much time as the former invocation had", async () => {
    const { stage, actor } = await play({ stumbles: () => Promise.reject(new AttemptFails("no", { behavior: 2 })) });
    const options = { startWithinMs: 5 * SECOND_MS, endWithin: 60 * SECOND_MS };
    const { invocationId } = await callOn(actor, "stumbles", "", { options });
    await stage.pulse.pass(HOUR_MS);
    const atMs = stage.pulse.nowMs();
    const again = await restart(actor.engine, invocationId, 0, { kind: "latest" });
    const id = typeof again === "object" && again.kind === "restarted" ? again.invocationId : "";
    expect(await acceptanceOf(actor, id)).toMatchObject({
      startByMs: atMs + 5 * SECOND_MS,
      endByMs: atMs + 60 * SECOND_MS,
      endGraceMs: 30 * SECOND_MS,
    });
  });

  test("a request without deadlines stores none", async () => {
    const { actor } = await play({ echo });
    const { invocationId } = await callOn(actor, "echo");
    const acceptance = await acceptanceOf(actor, invocationId);
    for (const name of ["startByMs", "endByMs", "endGraceMs"]) expect(acceptance).not.toHaveProperty(name);
  });
});
