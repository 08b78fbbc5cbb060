/** If a driver dies after an end and all messages are lost, the sweeper finds the end in the listing and performs its effects. */
import { describe, expect, test } from "vitest";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import type { Sent } from "../../../shared/engine/ports/submission.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { crashBefore, type NamedCall } from "../../harness/engine/crash.ts";
import { LEASE_MS, sendOn, textOf, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import {
  acceptanceOf,
  after,
  arrival,
  endOf,
  lockUpdate,
  message,
  promiseCompletion,
  promiseUpdate,
  readOfSubscriptions,
} from "../../harness/engine/named-calls.ts";
import { addCount, keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";
import { changedBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const settings = { services: [objectOf(["add"]), workflowOf(["approve"])] };

const handlers: Record<string, Handler> = {
  sends: (ctx) => (ctx.send("sent"), "done"),
  sendsKeyed: (ctx) => (ctx.send("sent", "", { idempotencyKey: "k" }), "done"),
  sent: () => "sent",
  add: addCount,
  run: async (ctx) => `approved ${await ctx.get(getPromise(ctx, "approval"))}`,
  approve: (ctx) => (completePromise(ctx, "approval", "yes"), "done"),
  waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}`,
  listens: async (ctx) => `heard ${await ctx.get(ctx.signal("word"))}`,
  resolves: (ctx) => (ctx.resolveAwakeable(ctx.input, "it"), "done"),
  tells: (ctx) => (ctx.sendSignal(ctx.input, "word", "it"), "done"),
};

interface Play {
  readonly stage: Stage;
  /** Accepts invocations, and drives none. */
  readonly front: Actor;
  /** The invocation that `before` of the shape has sent; undefined if the shape has no `before`. */
  readonly first?: InvocationId | undefined;
}

interface Shape {
  /** Sends an invocation that a worker drives as far as possible before the next one is accepted. */
  readonly before?: (front: Actor) => Promise<Sent>;
  /** Sends the invocation whose driver dies after its end. */
  readonly ends: (play: Play) => Promise<Sent>;
  /** Calls that the driver makes after the end. In each test the driver dies before one of them. */
  readonly crashes: Readonly<Record<string, NamedCall>>;
  /** Returns the visible outcome of all effects. The `front` of the play is a worker, which drives every woken invocation. */
  readonly shows: (play: Play, ended: InvocationId) => Promise<unknown>;
  readonly is: unknown;
}

async function resultOf({ stage, front }: Play, id: InvocationId): Promise<string> {
  const ended = await stage.pulse.within(LEASE_MS, attach(front.engine, id));
  return ended.kind === "ended" ? textOf(ended) : ended.kind;
}
const firstsResult = (play: Play): Promise<string> => resultOf(play, play.first!);

const SHAPES: readonly (readonly [what: string, shape: Shape])[] = [
  [
    "a send",
    {
      ends: ({ front }) => sendOn(front, "sends"),
      crashes: { "the acceptance of the sent invocation": acceptanceOf("sent"), "its message": message },
      shows: ({ stage }) => Promise.resolve(stage.deployment.of("sent").length),
      is: 1,
    },
  ],
  [
    "the give-back of the key",
    {
      ends: ({ front }) => sendKeyed(front, keyed("O", "k", "add", "2")),
      crashes: { "the key is given back": lockUpdate, "the end is delivered": readOfSubscriptions },
      shows: async (play) => {
        const { invocationId } = await sendKeyed(play.front, keyed("O", "k", "add", "3"));
        return await resultOf(play, invocationId);
      },
      is: "5",
    },
  ],
  [
    "the end of the life of a workflow",
    {
      before: (front) => sendKeyed(front, keyed("W", "w", "approve")),
      ends: ({ front }) => sendKeyed(front, keyed("W", "w", "run")),
      crashes: { "the lock records the end of the life": lockUpdate, "the promise gets a time to live": promiseUpdate },
      shows: async ({ stage, front }, ended) => (await stage.pulse.within(0, output(front.engine, ended))).kind,
      is: "ended",
    },
  ],
  [
    "the completion of a promise",
    {
      before: (front) => sendKeyed(front, keyed("W", "w", "run")),
      ends: ({ front }) => sendKeyed(front, keyed("W", "w", "approve")),
      crashes: { "the promise is completed": promiseCompletion, "the run that awaits it gets the value": arrival },
      shows: firstsResult,
      is: "approved yes",
    },
  ],
  [
    "the value of an awakeable",
    {
      before: (front) => sendOn(front, "waits"),
      ends: ({ stage, front }) =>
        sendOn(front, "resolves", encodeAwakeableId(stage.deployment.of("waits")[0]!.start.id, 17)),
      crashes: { "the value arrives": arrival, "the message about it": message },
      shows: firstsResult,
      is: "heard it",
    },
  ],
  [
    "a signal",
    {
      before: (front) => sendOn(front, "listens"),
      ends: ({ front, first }) => sendOn(front, "tells", first),
      crashes: { "the signal arrives": arrival, "the message about it": message },
      shows: firstsResult,
      is: "heard it",
    },
  ],
];

/** Accepts the invocation that will end, but does not drive it yet. A worker drives the invocation of `before`. */
async function accepted({ before, ends }: Shape): Promise<Play & { readonly id: InvocationId }> {
  const stage = await open(handlers, settings);
  const front = stage.actor();
  const first = (await before?.(front))?.invocationId;
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(1_000);
  worker.die();
  const { invocationId: id } = await ends({ stage, front, first });
  return { stage, front, first, id };
}

/** Loses all messages, and makes a pass six minutes later. */
async function swept({ stage }: Play): Promise<Actor> {
  await stage.wipeHints();
  await stage.pulse.pass(6 * MINUTE_MS);
  const sweeper = stage.actor();
  await stage.pulse.within(1_000, sweepOnce(sweeper.engine));
  return sweeper;
}

describe.each(SHAPES)("%s, an effect of the end of an invocation", (_, shape) => {
  test.each(Object.entries(shape.crashes))(
    "is performed by the sweeper if all messages are lost and the driver died before this call: %s",
    async (_, call) => {
      const play = await accepted(shape);
      const { stage, id } = play;
      const victim = stage.actor();
      const crash = crashBefore(victim, after(endOf(id), call));
      victim.startWorker();
      await stage.pulse.pass(1_000);
      expect(crash.at).toBeDefined();
      await swept(play);
      const worker = stage.actor();
      worker.startWorker();
      await stage.pulse.pass(1_000);
      expect(await shape.shows({ ...play, front: worker }, id)).toBe(shape.is);
    },
  );

  test("is recognised as performed if the driver performed it, and then costs only reads", async () => {
    const play = await accepted(shape);
    const { stage, id } = play;
    const worker = stage.actor();
    worker.startWorker();
    await stage.pulse.pass(1_000);
    const shown = await shape.shows({ ...play, front: worker }, id);
    await stage.pulse.within(3 * LEASE_MS, worker.stopWorker());
    expect(shown).toBe(shape.is);
    expect(changedBy(await swept(play))).toEqual([]);
  });
});

test("a request for the output of an invocation that did not give its key back causes the give-back", async () => {
  const [, shape] = SHAPES[1]!;
  const play = await accepted(shape);
  const { stage, id } = play;
  const victim = stage.actor();
  const crash = crashBefore(victim, after(endOf(id), lockUpdate));
  victim.startWorker();
  await stage.pulse.pass(1_000);
  expect(crash.at).toBeDefined();
  await stage.wipeHints();
  await stage.pulse.pass(LEASE_MS);
  const front = stage.actor();
  expect((await stage.pulse.within(0, output(front.engine, id))).kind).toBe("open");
  front.startWorker();
  await stage.pulse.pass(1_000);
  expect((await stage.pulse.within(0, output(front.engine, id))).kind).toBe("ended");
});

test("a promise that a dead driver left uncompleted is completed, even if the workflow's run began later", async () => {
  const stage = await open(handlers, settings);
  const front = stage.actor();
  const { invocationId: id } = await sendKeyed(front, keyed("W", "w", "approve"));
  const victim = stage.actor();
  const crash = crashBefore(victim, after(endOf(id), promiseCompletion));
  victim.startWorker();
  await stage.pulse.pass(1_000);
  expect(crash.at).toBeDefined();
  await stage.wipeHints();
  const [worker, run] = [stage.actor(), keyed("W", "w", "run")];
  worker.startWorker();
  const { invocationId } = await sendKeyed(worker, run);
  await stage.pulse.pass(1_000);
  await swept({ stage, front });
  const next = stage.actor();
  next.startWorker();
  await stage.pulse.pass(1_000);
  expect(await resultOf({ stage, front: next }, invocationId)).toBe("approved yes");
});

test("a send under a key is accepted although an expired send under that key is still stored", async () => {
  const stage = await open(handlers, { ...settings, idempotencyRetentionMs: MINUTE_MS, journalRetentionMs: MINUTE_MS });
  const front = stage.actor();
  const key = { idempotencyKey: "k" };
  await sendOn(front, "sent", "", key);
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(2 * MINUTE_MS);
  worker.die();
  const { invocationId: id } = await sendOn(front, "sendsKeyed");
  const victim = stage.actor();
  const crash = crashBefore(victim, after(endOf(id), acceptanceOf("sent")));
  victim.startWorker();
  await stage.pulse.pass(1_000);
  expect(crash.at).toBeDefined();
  expect(stage.deployment.of("sendsKeyed")).toHaveLength(1);
  await swept({ stage, front });
  const next = stage.actor();
  next.startWorker();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("sent")).toHaveLength(2);
});

test("a send is accepted although its sender has ended and expired since", async () => {
  const stage = await open(handlers, { idempotencyRetentionMs: 0, journalRetentionMs: 0 });
  const front = stage.actor();
  const { invocationId: id } = await sendOn(front, "sends");
  const victim = stage.actor();
  const crash = crashBefore(victim, after(endOf(id), acceptanceOf("sent")));
  victim.startWorker();
  await stage.pulse.pass(1_000);
  expect(crash.at).toBeDefined();
  await swept({ stage, front });
  stage.actor().startWorker();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("sent")).toHaveLength(1);
});
