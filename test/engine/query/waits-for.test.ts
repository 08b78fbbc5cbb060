/** Tests how operators see the waits of an open invocation: each kind of wait, and the waits of the awaited invocations. */
import { describe, expect, test } from "vitest";
import type { DeploymentId, InvocationId } from "../../../shared/core/model/ids.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import type { WaitView } from "../../../shared/engine/ports/submission.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { type Actor, sendOn, type Stage, submission } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { getPromise } from "../../harness/engine/script-state.ts";
import { PROJECTED } from "../../harness/engine/counted-table.ts";
import { ReadMeter } from "../../harness/engine/read-meter.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const FAR_MS = 4_000_000_000_000;
const INV = expect.stringMatching(/^inv_/) as string;

const naps: Handler = async (ctx) => await ctx.get(ctx.sleep(FAR_MS));
const handlers: Record<string, Handler> = {
  naps,
  stumbles: () => {
    throw new Error("never well");
  },
  hangs: () => new Promise(() => undefined),
  asks: async (ctx) => await ctx.get(ctx.awakeable().result),
  listens: async (ctx) => await ctx.get(ctx.signal("go")),
  calls: async (ctx) => await ctx.get(ctx.call(ctx.input)),
  deep: async (ctx) => await ctx.get(ctx.call("calls", "stumbles")),
  deeper: async (ctx) => await ctx.get(ctx.call("deep")),
  deepest: async (ctx) => await ctx.get(ctx.call("deeper")),
  attaches: async (ctx) => await ctx.get(ctx.attach(ctx.input)),
  many: async (ctx) => (await ctx.all(...Array.from({ length: 30 }, () => ctx.call("naps")))).join(),
  either: async (ctx) => await ctx.race(ctx.sleep(FAR_MS), ctx.awakeable().result, ctx.call("naps")),
  run: async (ctx) => await ctx.get(getPromise(ctx, "approval")),
  holds: naps,
  queues: () => "done",
};

interface Play {
  readonly stage: Stage;
  readonly actor: Actor;
  sent(handler: string, input?: string): Promise<InvocationId>;
  waits(id: InvocationId): Promise<readonly WaitView[]>;
}

async function play(): Promise<Play> {
  const stage = await open(handlers, {
    services: [objectOf(["holds", "queues"]), workflowOf()],
    retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS },
  });
  const actor = stage.actor();
  actor.startWorker();
  return {
    stage,
    actor,
    sent: async (handler, input = "") => {
      const { invocationId } = await sendOn(actor, handler, input);
      await stage.pulse.settle();
      return invocationId;
    },
    waits: async (id) => (await showInvocation(actor.engine, id))!.waitsFor!,
  };
}

describe("an invocation waits for", () => {
  test("a timer, with its moment", async () => {
    const { sent, waits, stage } = await play();
    const atMs = stage.pulse.nowMs();
    expect(await waits(await sent("naps"))).toEqual([
      { kind: "timer", untilMs: FAR_MS, sinceMs: expect.closeTo(atMs, -3) as number },
    ]);
  });

  test("an awakeable, under the id that completes it", async () => {
    const { sent, waits } = await play();
    const [wait] = await waits(await sent("asks"));
    expect(wait).toMatchObject({ kind: "awakeable", awakeableId: expect.stringMatching(/^sign_1/) as string });
  });

  test("a signal by its name", async () => {
    const { sent, waits } = await play();
    expect(await waits(await sent("listens"))).toMatchObject([{ kind: "signal", name: "go" }]);
  });

  test("the next attempt, with the failure of the last one", async () => {
    const { sent, waits, stage } = await play();
    const atMs = stage.pulse.nowMs();
    const [wait] = await waits(await sent("stumbles"));
    expect(wait).toMatchObject({ kind: "retry", attempt: 2, failure: { errorCode: "RT0007", message: "never well" } });
    expect(wait!.untilMs! - atMs).toBeGreaterThanOrEqual(HOUR_MS);
  });

  test("the circuit of its service, while the circuit is open", async () => {
    const { sent, waits, stage, actor } = await play();
    const id = await sent("stumbles");
    const { deploymentId } = (await showInvocation(actor.engine, await sent("hangs")))!.waitsFor![0]!;
    const sinceMs = stage.pulse.nowMs();
    const untilMs = sinceMs + HOUR_MS;
    const circuit = { deploymentId: deploymentId as DeploymentId, service: "S", sinceMs, untilMs };
    await actor.engine.registry.setCircuit({ ...circuit, pauseMs: HOUR_MS, reason: "RT0007: never well" }, undefined);
    expect((await waits(id))[1]).toEqual({
      kind: "circuit",
      sinceMs,
      untilMs,
      deploymentId,
      name: "RT0007: never well",
    });
  });

  test("the answer of its deployment", async () => {
    const { sent, waits, actor } = await play();
    const [deployment] = await actor.engine.registry.deployments();
    const id = await sent("hangs");
    expect(await waits(id)).toMatchObject([{ kind: "attempt", attempt: 1, deploymentId: deployment!.id }]);
    expect((await showInvocation(actor.engine, id))!.deployment).toEqual({
      id: deployment!.id,
      address: expect.stringMatching(/^http/) as string,
    });
  });

  test("the start of a delayed send", async () => {
    const { stage, actor, waits } = await play();
    const startAtMs = stage.pulse.nowMs() + HOUR_MS;
    const sent = await stage.pulse.within(1_000, send(actor.engine, submission("naps", "", { startAtMs })));
    if (sent.kind !== "sent") throw new Error("it was refused");
    expect(await waits(sent.invocationId)).toMatchObject([{ kind: "schedule", untilMs: startAtMs }]);
  });

  test("a promise of its workflow", async () => {
    const { stage, actor, waits } = await play();
    const { invocationId } = await stage.pulse.within(0, sendKeyed(actor, keyed("W", "w1", "run")));
    await stage.pulse.settle();
    expect(await waits(invocationId)).toMatchObject([{ kind: "promise", name: "approval", target: "W/w1" }]);
  });

  test("its key, with its place in the queue, the holder, and what the holder waits for", async () => {
    const { stage, actor, waits } = await play();
    const holder = await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "holds")));
    await stage.pulse.settle();
    await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "queues")));
    const { invocationId } = await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "queues")));
    await stage.pulse.settle();
    expect(await waits(invocationId)).toMatchObject([
      {
        kind: "key",
        place: 2,
        invocationId: holder.invocationId,
        target: "O/k/holds",
        status: "suspended",
        waitsFor: [{ kind: "timer", untilMs: FAR_MS }],
      },
    ]);
  });

  test("an invocation to which it attached, and what that invocation waits for", async () => {
    const { sent, waits } = await play();
    const target = await sent("asks");
    expect(await waits(await sent("attaches", target))).toMatchObject([
      {
        kind: "attach",
        invocationId: target,
        target: "S/asks",
        status: "suspended",
        waitsFor: [{ kind: "awakeable" }],
      },
    ]);
  });

  test("each branch of a race", async () => {
    const { sent, waits } = await play();
    const kinds = (await waits(await sent("either"))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["awakeable", "call", "timer"]);
  });
});

test("the view follows the waits of awaited invocations three invocations deep", async () => {
  const { sent, waits } = await play();
  const call = (target: string, waitsForIt?: object[]) => ({
    kind: "call",
    invocationId: INV,
    target,
    status: expect.any(String) as string,
    ...(waitsForIt && { waitsFor: waitsForIt }),
  });
  expect(await waits(await sent("deep"))).toMatchObject([
    call("S/calls", [call("S/stumbles", [{ kind: "retry", failure: { message: "never well" } }])]),
  ]);
  const [first] = await waits(await sent("deepest"));
  const third = first!.waitsFor![0]!.waitsFor![0]!;
  expect(third).toMatchObject({ target: "S/calls", status: expect.any(String) as string });
  const fourth = third.waitsFor![0]!;
  expect(fourth).toMatchObject({ kind: "call", target: "S/stumbles", invocationId: INV });
  expect(fourth.status).toBeUndefined();
});

test("a view reads at most twenty other invocations, and only names the rest", async () => {
  const { sent, actor } = await play();
  const id = await sent("many");
  const table = new ReadMeter(actor.engine.table, PROJECTED);
  const { waitsFor } = (await showInvocation({ ...actor.engine, table }, id))!;
  expect(waitsFor!.every(({ kind, invocationId }) => kind === "call" && invocationId !== undefined)).toBe(true);
  expect(waitsFor!.length).toBe(30);
  expect(waitsFor!.filter(({ status }) => status !== undefined).length).toBe(20);
  expect(table.queries, "the invocation, its failure events, and the twenty").toBe(22);
});

test("a view of what an invocation waits for writes nothing", async () => {
  const { sent, actor } = await play();
  const id = await sent("deep");
  const refuse = () => Promise.reject(new Error("a view writes"));
  const { table } = actor.engine;
  const reading = Object.assign(Object.create(table) as typeof table, {
    put: refuse,
    update: refuse,
    delete: refuse,
    transact: refuse,
  });
  expect((await showInvocation({ ...actor.engine, table: reading }, id))!.waitsFor).toHaveLength(1);
});
