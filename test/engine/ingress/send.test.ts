/** Sends: at once, delayed, and refused. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { sendOn, submission, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

test("a send is durable when it resolves, and runs when a worker comes", async () => {
  const stage = await open({ greet: (ctx) => `Hello ${ctx.input}` });
  const sender = stage.actor();
  const sent = await stage.pulse.within(0, sendOn(sender, "greet", "you"));
  expect(sent.status).toBe("accepted");
  expect(stage.deployment.attempts).toHaveLength(0);
  expect(await inspect(sender.engine, sent.invocationId)).toMatchObject({ status: "ready" });
  await stage.reboot();
  const worker = stage.actor();
  worker.startWorker();
  const end = await stage.pulse.within(1_000, attach(worker.engine, sent.invocationId));
  expect(end.kind === "ended" && textOf(end)).toBe("Hello you");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test.each([
  ["by a delayed message", 5_000],
  ["by a timer", 3 * HOUR_MS],
])("a delayed send starts at its time, %s", async (_, delayMs) => {
  const stage = await open({ greet: () => "done" });
  const actor = stage.actor();
  actor.startWorker();
  const startAtMs = stage.pulse.nowMs() + delayMs;
  const sent = await sendOn(actor, "greet", "", { startAtMs });
  expect(sent.executionTimeMs).toBe(startAtMs);
  expect(await inspect(actor.engine, sent.invocationId)).toMatchObject({ status: "scheduled", wakeAtMs: startAtMs });
  await stage.pulse.pass(delayMs - 1);
  expect(stage.deployment.attempts).toHaveLength(0);
  await stage.pulse.pass(1);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a send with a time in the past starts at once", async () => {
  const stage = await open({ greet: () => "done" });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "greet", "", { startAtMs: stage.pulse.nowMs() - 1 });
  await stage.pulse.settle();
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a handler's delayed send starts at its time as well", async () => {
  const stage = await open({
    parent: (ctx) => (ctx.send("child", "later", { atMs: stage.pulse.nowMs() + 7_000 }), "sent"),
    child: (ctx) => ctx.input,
  });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "parent");
  await stage.pulse.pass(6_999);
  expect(stage.deployment.of("child")).toHaveLength(0);
  await stage.pulse.pass(1);
  expect(stage.deployment.of("child").map(({ input }) => input)).toEqual(["later"]);
});

test("a send to an unregistered service is refused, and nothing is written", async () => {
  const stage = await open({ greet: () => "done" });
  const { engine, process } = stage.actor();
  expect(await send(engine, submission("nobody"))).toEqual({ kind: "unknown-handler" });
  const elsewhere = { ...submission("greet"), target: { service: "T", handler: "greet" } };
  expect(await send(engine, elsewhere)).toEqual({ kind: "unknown-service" });
  expect(process.methods("table")).toEqual([]);
});

test("a submission is accepted with the route that its sender has checked, whatever the registry answers afterwards", async () => {
  const stage = await open({ greet: () => "done" });
  const actor = stage.actor();
  const greet = submission("greet");
  const { registry } = actor.engine;
  const routing = await registry.route(greet.target.service, greet.target.handler);
  if (!routing.found) throw new Error("the handler is not registered");
  const { route } = routing;
  const retired = { ...registry, route: async () => ({ found: false, missing: "service" }) as const };
  const checked = { ...route, settings: { ...route.settings, idempotencyRetentionMs: 7 * HOUR_MS } };
  const sent = await send(
    { ...actor.engine, registry: retired },
    { ...greet, routing: { ...routing, route: checked } },
  );
  if (sent.kind !== "sent") throw new Error("it was refused");
  const { acceptance } = (await load(actor.engine, sent.invocationId))!.invocation;
  expect(acceptance.completionRetentionMs).toBe(7 * HOUR_MS);
});

test("a send under a key whose former result has expired is driven at once", async () => {
  const stage = await open({ greets: () => "hello" }, { idempotencyRetentionMs: 60_000 });
  const actor = stage.actor();
  actor.startWorker();
  for (const times of [1, 2]) {
    await sendOn(actor, "greets", "", { idempotencyKey: "k" });
    await stage.pulse.pass(1_000);
    expect(stage.deployment.of("greets")).toHaveLength(times);
    await stage.pulse.pass(120_000);
  }
});
