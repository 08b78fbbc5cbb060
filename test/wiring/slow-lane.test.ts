/** The slow lane: a handler that never answers fills only this lane, and other services go on. */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../shared/core/model/ids.ts";
import { bodyOfSlice } from "../../shared/adapters/sqs/sqs-slices.ts";
import { send } from "../../shared/engine/ingress/send.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { inspect } from "../../shared/engine/operate/inspect.ts";
import { workEvent } from "../../shared/wiring/work-event.ts";
import { service } from "../core/registry/sample-deployment.ts";
import { submission, type Stage } from "../harness/engine/engine-fixture.ts";
import { Gate } from "../harness/engine/gate.ts";
import { stages } from "../harness/engine/stages.ts";
import { lanesOn, nextEvent, SLOW_URL } from "./event-sources.ts";

const open = stages();
const SLOW_FROM_MS = 5_000;
const MINUTE_MS = 60_000;

/** `S/hangs` answers only once the gate opens, `Quiet/greet` answers at once, and `Quiet/calls` waits for `S/hangs`. */
async function openStage() {
  const gate = new Gate();
  const stage = await open(
    {
      hangs: () => gate.passed.then(() => "late"),
      greet: () => "hello",
      calls: async (ctx) => await ctx.get(ctx.call("hangs")),
    },
    { slow: { slowFromMs: SLOW_FROM_MS, slowServices: "here" }, services: [service("Quiet", ["greet", "calls"])] },
  );
  return { stage, gate };
}

async function sendTo(engine: Engine, serviceName: string, handler: string, startAtMs?: number): Promise<InvocationId> {
  const target = { service: serviceName, handler };
  const sent = await send(engine, submission(handler, "", { target, ...(startAtMs !== undefined && { startAtMs }) }));
  if (sent.kind !== "sent") throw new Error(`refused: ${sent.kind}`);
  return sent.invocationId;
}

async function flood(
  stage: Stage,
  engine: Engine,
  handler: string,
  of: string,
  count: number,
): Promise<InvocationId[]> {
  const ids: InvocationId[] = [];
  for (let n = 0; n < count; n++) ids.push(await stage.pulse.within(0, sendTo(engine, of, handler)));
  return ids;
}

/** @returns how long a send to `Quiet/greet` takes until it has completed; undefined if longer than `withinMs` */
async function waitedMs(stage: Stage, engine: Engine, withinMs: number): Promise<number | undefined> {
  const id = await stage.pulse.within(0, sendTo(engine, "Quiet", "greet"));
  const sinceMs = stage.pulse.nowMs();
  while (stage.pulse.nowMs() - sinceMs < withinMs) {
    await stage.pulse.pass(100);
    const view = await stage.pulse.within(0, inspect(engine, id));
    if (view?.status === "completed") return stage.pulse.nowMs() - sinceMs;
  }
  return undefined;
}

describe("three hundred sends to a handler that never answers", () => {
  test("block the sends of other services if all share one lane", async () => {
    const { stage } = await openStage();
    const lanes = lanesOn(stage, false);
    lanes.start({ main: 4, slow: 0 });
    const client = lanes.engine();
    await flood(stage, client, "hangs", "S", 300);
    await stage.pulse.pass(MINUTE_MS);
    expect(await waitedMs(stage, client, 5 * MINUTE_MS)).toBeUndefined();
  });

  test("fill only the slow lane: other services are served as soon as the slow service has a note", async () => {
    const { stage, gate } = await openStage();
    const lanes = lanesOn(stage);
    lanes.start({ main: 4, slow: 2 });
    const client = lanes.engine();
    const ids = await flood(stage, client, "hangs", "S", 300);
    // The first attempts take all workers before the note exists. Once it exists, the workers cut these attempts.
    expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(6 * SLOW_FROM_MS);
    for (let n = 0; n < 5; n++) expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(1_000);
    await flood(stage, client, "hangs", "S", 100);
    await stage.pulse.pass(MINUTE_MS);
    expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(1_000);

    // No send is lost: once the handler answers, all complete.
    gate.open();
    await stage.pulse.pass(5 * MINUTE_MS);
    for (const id of ids) expect(await inspect(client, id)).toMatchObject({ status: "completed", events: [] });
    expect([lanes.main.size, lanes.slow.size]).toEqual([0, 0]);
  });

  test("delay no sends of other services if a note exists already, though each process must read it first", async () => {
    const { stage } = await openStage();
    const lanes = lanesOn(stage);
    await stage.pulse.within(0, lanes.engine().registry.noteLong("S", "hangs"));
    const [cold, client] = [lanes.engine(), lanes.engine()];
    await flood(stage, cold, "hangs", "S", 300);
    lanes.start({ main: 2, slow: 1 });
    for (let n = 0; n < 5; n++) expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(1_000);
    expect(stage.deployment.of("hangs")).toHaveLength(10);
  });

  test("delay no other service that calls the handler: its calls go to the slow lane", async () => {
    const { stage, gate } = await openStage();
    const lanes = lanesOn(stage);
    lanes.start({ main: 4, slow: 2 });
    const client = lanes.engine();
    const ids = await flood(stage, client, "calls", "Quiet", 100);
    expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(6 * SLOW_FROM_MS);
    ids.push(...(await flood(stage, client, "calls", "Quiet", 100)));
    for (let n = 0; n < 5; n++) expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(1_000);
    gate.open();
    await stage.pulse.pass(5 * MINUTE_MS);
    for (const id of ids) expect(await inspect(client, id)).toMatchObject({ status: "completed", events: [] });
  });

  test("delay no other service even if messages name no service, because their sender has only the ids", async () => {
    const { stage } = await openStage();
    const lanes = lanesOn(stage);
    await stage.pulse.within(0, lanes.engine().registry.noteLong("S", "hangs"));
    lanes.start({ main: 2, slow: 1 });
    const client = lanes.engine();
    const ids = await flood(stage, client, "hangs", "S", 50);
    await stage.pulse.pass(1_000);
    for (const id of ids) await lanes.main.send({ invocationId: id, sentAtMs: stage.pulse.nowMs(), delayMs: 0 });
    await stage.pulse.pass(10_000);
    expect(await waitedMs(stage, client, MINUTE_MS)).toBeLessThanOrEqual(1_000);
    expect(stage.deployment.of("hangs")).toHaveLength(10);
  });
});

test("a long handler that answers before the cut has one attempt", async () => {
  const { stage, gate } = await openStage();
  const lanes = lanesOn(stage);
  lanes.start({ main: 1, slow: 1 });
  const [id] = await flood(stage, lanes.engine(), "hangs", "S", 1);
  await stage.pulse.pass(4 * SLOW_FROM_MS);
  gate.open();
  await stage.pulse.pass(1_000);
  expect(await inspect(lanes.engine(), id!)).toMatchObject({ status: "completed" });
  expect(stage.deployment.of("hangs")).toHaveLength(1);
});

test("an attempt in the slow lane is not cut", async () => {
  const { stage, gate } = await openStage();
  const lanes = lanesOn(stage);
  const client = lanes.engine();
  await stage.pulse.within(0, client.registry.noteLong("S", "hangs"));
  lanes.start({ main: 1, slow: 1 });
  await flood(stage, client, "hangs", "S", 1);
  await stage.pulse.pass(5 * MINUTE_MS);
  gate.open();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("hangs")).toHaveLength(1);
});

describe("an event of the main lane", () => {
  /** An event with a message of the slow service and one of a quiet one. */
  async function mixed() {
    const { stage, gate } = await openStage();
    gate.open();
    const lanes = lanesOn(stage);
    const client = lanes.engine();
    const atMs = stage.pulse.nowMs() + 2_000;
    await stage.pulse.within(0, sendTo(client, "S", "hangs", atMs));
    await stage.pulse.within(0, sendTo(client, "Quiet", "greet"));
    await stage.pulse.pass(2_500);
    await stage.pulse.within(0, lanes.engine().registry.noteLong("S", "hangs"));
    const event = await stage.pulse.within(0, nextEvent(lanes.main, "wakes"));
    const worker = lanes.engine();
    return { stage, lanes, event, worker, answer: () => workEvent(worker, event, SLOW_URL) };
  }

  test("forwards messages of slow services unchanged and without a delay, deletes them, and works on the rest", async () => {
    const { stage, lanes, event, answer } = await mixed();
    expect(await stage.pulse.within(1_000, answer())).toEqual({ batchItemFailures: [] });
    const bodies = event.Records.map(({ body }) => JSON.parse(body) as { service: string; sentAtMs: number });
    const { sentAtMs } = bodies.find(({ service: name }) => name === "S")!;
    const [sentOn, ...more] = lanes.slow.waitingBy(stage.pulse.nowMs());
    expect(more).toEqual([]);
    expect(sentOn).toMatchObject({ sentAtMs, delayMs: 0, service: "S" });
    expect(stage.deployment.attempts.map(({ handler }) => handler)).toEqual(["greet"]);
    // Lambda deletes the messages that the response does not name and the worker has not deleted.
    expect(lanes.main.size).toBe(1);
  });

  test("keeps a message that cannot be forwarded, and delays it", async () => {
    const { stage, lanes, event, answer } = await mixed();
    lanes.slow.send = () => Promise.reject(new Error("no such queue"));
    const at = event.Records.findIndex(({ body }) => body.includes('"S"'));
    expect(await stage.pulse.within(1_000, answer())).toEqual({ batchItemFailures: [{ itemIdentifier: `m${at}` }] });
    expect(stage.deployment.attempts.map(({ handler }) => handler)).toEqual(["greet"]);
    await stage.pulse.pass(2_500);
    expect(lanes.main.waitingBy(stage.pulse.nowMs())).toMatchObject([{ service: "S" }]);
  });

  test("keeps the moment of a timer's message", async () => {
    const { stage, lanes, event, worker } = await mixed();
    const wakeAtMs = stage.pulse.nowMs() + 30_000;
    const records = event.Records.map((record) => ({
      ...record,
      body: JSON.stringify({ ...(JSON.parse(record.body) as object), wakeAtMs }),
    }));
    await stage.pulse.within(1_000, workEvent(worker, { Records: records }, SLOW_URL));
    expect(lanes.slow.waitingBy(stage.pulse.nowMs())).toMatchObject([{ service: "S", wakeAtMs }]);
  });

  test("is worked on in the main lane, all of it, if the registry cannot be read", async () => {
    const { stage, event, worker } = await mixed();
    const services = () => Promise.reject(new Error("no answer"));
    const broken = { ...worker, registry: { ...worker.registry, services } };
    expect(await stage.pulse.within(1_000, workEvent(broken, event, SLOW_URL))).toEqual({ batchItemFailures: [] });
    expect(stage.deployment.attempts).toHaveLength(2);
  });

  test("may contain a slice of a walk, which runs as usual", async () => {
    const { stage, event, worker } = await mixed();
    const slice = { ...event.Records[0]!, messageId: "slice", body: bodyOfSlice("listing#1767225600000#3-3") };
    const answer = workEvent(worker, { Records: [slice] }, SLOW_URL);
    expect(await stage.pulse.within(1_000, answer)).toEqual({ batchItemFailures: [] });
  });
});
