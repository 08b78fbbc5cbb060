/**
 * On AWS no driver can recall its backstop, so after each end the backstop comes and the final effects are redone. Tests that
 * this redo does not reach a later life of the invocation that an effect addressed.
 */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import {
  type Actor,
  LEASE_MS,
  type Stage,
  type StageSettings,
  callOn,
  sendOn,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { callKeyed, keyed, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { arrival } from "../../harness/engine/named-calls.ts";

const open = stages();
const KEY = { idempotencyKey: "k" };
const SKEW_MS = 5_000;

const handlers: Record<string, Handler> = {
  waits: (ctx) => ctx.get(ctx.awakeable().result),
  listens: (ctx) => ctx.get(ctx.signal("go")),
  cancels: (ctx) => (ctx.cancel(ctx.input), "done"),
  resolves: (ctx) => (ctx.resolveAwakeable(ctx.input, "it"), "done"),
  signals: (ctx) => (ctx.sendSignal(ctx.input, "go", "it"), "done"),
  sends: (ctx) => (ctx.send("quick", "", KEY), "done"),
  quick: () => "quick",
  run: (ctx) => ctx.get(getPromise(ctx, "p")),
  approve: (ctx) => (completePromise(ctx, "p", "yes"), "done"),
};

/** Opens a stage with an ingress whose messages cannot be recalled, as on SQS, and a worker. */
async function played(settings: StageSettings = {}): Promise<{ stage: Stage; ingress: Actor; worker: Actor }> {
  const stage = await open(handlers, { services: [workflowOf(["approve"])], ...settings });
  const [ingress, worker] = [stage.actor(), stage.actor()];
  ingress.process.before = ({ method }) => (method === "recall" ? new Promise(() => undefined) : undefined);
  worker.startWorker();
  return { stage, ingress, worker };
}

async function standing({ engine }: Actor, id: InvocationId): Promise<string> {
  return (await output(engine, id)).kind;
}

test.each([100, 3_000, 9_000])(
  "a cancelled invocation that is submitted again after %i ms is not cancelled by the canceller's backstop",
  async (ms) => {
    const { stage, ingress, worker } = await played();
    const later = () => ({ ...KEY, startAtMs: stage.pulse.nowMs() + 3_600_000 });
    const first = await sendOn(ingress, "waits", "", later());
    await stage.pulse.pass(100);
    await stage.pulse.within(1_000, callOn(ingress, "cancels", first.invocationId));
    await stage.pulse.pass(ms);
    expect(await standing(worker, first.invocationId)).toBe("unknown");
    const second = await sendOn(ingress, "waits", "", later());
    expect([second.invocationId, second.status]).toEqual([first.invocationId, "accepted"]);
    await stage.pulse.pass(3 * LEASE_MS);
    expect(await standing(worker, second.invocationId)).toBe("open");
  },
);

test.each([-SKEW_MS, SKEW_MS])(
  "a cancelled invocation that is submitted again is not cancelled if the clock of its new acceptor is %i ms ahead",
  async (aheadMs) => {
    const { stage, ingress, worker } = await played();
    const first = await sendOn(ingress, "waits", "", { ...KEY, startAtMs: stage.pulse.nowMs() + 3_600_000 });
    await stage.pulse.within(1_000, callOn(ingress, "cancels", first.invocationId));
    await stage.pulse.pass(1_000);
    const other = stage.actor({ aheadMs });
    const second = await sendOn(other, "waits", "", { ...KEY, startAtMs: stage.pulse.nowMs() + 3_600_000 });
    expect(second.status).toBe("accepted");
    await stage.pulse.pass(3 * LEASE_MS);
    expect(await standing(worker, second.invocationId)).toBe("open");
  },
);

test("the value of an awakeable does not reach the next life after a purge", async () => {
  const { stage, ingress, worker } = await played();
  const first = await sendOn(worker, "waits", "", KEY);
  await stage.pulse.pass(100);
  const awakeable = encodeAwakeableId(stage.deployment.of("waits")[0]!.start.id, 17);
  await stage.pulse.within(1_000, callOn(ingress, "resolves", awakeable));
  await stage.pulse.pass(1_000);
  expect(await purge(worker.engine, first.invocationId)).toBe("done");
  const second = await sendOn(worker, "waits", "", KEY);
  await stage.pulse.pass(3 * LEASE_MS);
  expect(await standing(worker, second.invocationId)).toBe("open");
});

test("a promise is not completed again in the next run of its workflow", async () => {
  const { stage, ingress, worker } = await played();
  const first = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(100);
  await stage.pulse.within(1_000, callKeyed(ingress, keyed("W", "w", "approve")));
  await stage.pulse.pass(1_000);
  expect(await purge(worker.engine, first.invocationId)).toBe("done");
  const second = await sendKeyed(worker, keyed("W", "w", "run"));
  await stage.pulse.pass(3 * LEASE_MS);
  expect(await standing(worker, second.invocationId)).toBe("open");
});

test("a redone send starts no second invocation, even if the first one with its idempotency key has expired", async () => {
  const { stage, ingress, worker } = await played({ idempotencyRetentionMs: 2_000, journalRetentionMs: 2_000 });
  await sendOn(worker, "quick", "", KEY);
  await stage.pulse.pass(500);
  await stage.pulse.within(1_000, callOn(ingress, "sends"));
  await stage.pulse.pass(3 * LEASE_MS);
  expect(stage.deployment.of("quick")).toHaveLength(1);
});

test.each([
  ["performed at once", false],
  ["left undone at first and performed by a redo", true],
])(
  "a signal that is %s arrives at an invocation that a process with a clock ahead has just accepted",
  async (_, dies) => {
    for (const more of [{}, KEY]) {
      const { stage, worker } = await played();
      await worker.stopWorker();
      const ahead = stage.actor({ aheadMs: SKEW_MS });
      ahead.startWorker();
      const { invocationId } = await sendOn(ahead, "listens", "", more);
      await stage.pulse.pass(1_000);
      await ahead.stopWorker();
      const sender = stage.actor();
      if (dies) crashBefore(sender, arrival);
      sender.startWorker();
      await sendOn(stage.actor(), "signals", invocationId);
      await stage.pulse.pass(1_000);
      stage.actor().startWorker();
      await stage.pulse.pass(3 * LEASE_MS);
      expect(await standing(ahead, invocationId)).toBe("ended");
    }
  },
);

test("an attach in the final segment is performed neither at the end nor in a redo of the end", async () => {
  const stage = await open({ ...handlers, asks: (ctx) => (ctx.attach(ctx.input), "done") });
  const actor = stage.actor();
  actor.startWorker();
  const waiting = await sendOn(actor, "waits");
  const { invocationId } = await sendOn(actor, "asks", waiting.invocationId);
  await stage.pulse.pass(1_000);
  await sendWake(actor.engine, { id: invocationId }, 0);
  await stage.pulse.pass(1_000);
  expect(await standing(actor, invocationId)).toBe("ended");
  const isSink = ({ method, args }: PortCall) => method === "put" && (args[0] as Item).sk.startsWith("sink#");
  expect(actor.process.calls.filter(isSink)).toEqual([]);
});

test("a worker delivers the result of a life that ended before its first attempt to its callers before an acceptor begins a later life", async () => {
  const stage = await open({
    quick: () => "quick",
    asks: (ctx) => ctx.get(ctx.call("quick", "", KEY)),
  });
  const [ingress, worker] = [stage.actor(), stage.actor()];
  worker.startWorker();
  const { invocationId } = await sendOn(ingress, "quick", "", { ...KEY, startAtMs: stage.pulse.nowMs() + 3_600_000 });
  const asked = callOn(ingress, "asks").then(textOf);
  await stage.pulse.pass(LEASE_MS);
  // The process that ends the cancelled life dies before it delivers the result.
  const canceller = stage.actor();
  const tells = ({ method, args }: PortCall) => method === "query" && JSON.stringify(args).includes("sink#");
  const crashes = [worker, canceller].map((actor) => crashBefore(actor, tells));
  void cancel(canceller.engine, invocationId);
  await stage.pulse.pass(200);
  expect(crashes.filter(({ at }) => at !== undefined)).toHaveLength(1);
  const next = stage.actor();
  next.startWorker();
  const again = await stage.pulse.within(5_000, sendOn(next, "quick", "", KEY));
  expect([again.invocationId, again.status]).toEqual([invocationId, "accepted"]);
  expect(await stage.pulse.within(60_000, asked)).toBe("409 canceled");
});
