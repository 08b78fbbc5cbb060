/** What ends before its first attempt leaves nothing of its input in the store, whatever it waited for; a purge removes the rest. */
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import type { Submission } from "../../../shared/engine/ports/submission.ts";
import { type Actor, type Stage, submission } from "../../harness/engine/engine-fixture.ts";
import { placesOf } from "../../harness/engine/inflated-store.ts";
import { keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { synchronousCodec } from "../../harness/engine/synchronous-codec.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** In the input, a header, the caller and the idempotency key of each invocation that ends here. */
const MARK = "the-diary-of-ada";
/** Compresses well in parts, and has more than one piece. */
const LARGE = `${MARK} `.repeat(20_000) + randomBytes(400_000).toString("base64");

async function play(packs: boolean): Promise<{ stage: Stage; actor: Actor }> {
  const handlers = { greet: () => "hello", holds: () => new Promise<string>(() => {}), run: () => "ran" };
  const stage = await open(handlers, { services: [objectOf(["holds"]), workflowOf()] });
  const actor = stage.actor();
  if (packs) Object.assign(actor.engine, { codec: synchronousCodec });
  return { stage, actor };
}

const marked = (given: Submission, input = MARK): Submission => ({
  ...given,
  input: new TextEncoder().encode(input),
  headers: [{ key: "x-about", value: MARK }],
  createdBy: `arn:aws:iam::1:role/${MARK}`,
});

type Waiting = (at: { stage: Stage; actor: Actor }) => Promise<InvocationId>;
const sent = async (actor: Actor, one: Submission): Promise<InvocationId> => (await sendKeyed(actor, one)).invocationId;
const inAnHour = ({ pulse }: Stage) => ({ startAtMs: pulse.nowMs() + HOUR_MS });

const WAITING: Readonly<Record<string, Waiting>> = {
  "a delayed call of a service": ({ stage, actor }) =>
    sent(actor, { ...marked(submission("greet")), ...inAnHour(stage) }),
  "a delayed call with an idempotency key": ({ stage, actor }) =>
    sent(actor, { ...marked(submission("greet")), ...inAnHour(stage), idempotencyKey: `key of ${MARK}` }),
  "a delayed call of an object": ({ stage, actor }) =>
    sent(actor, { ...marked(keyed("O", "k", "holds")), ...inAnHour(stage) }),
  "a delayed run of a workflow": ({ stage, actor }) =>
    sent(actor, { ...marked(keyed("W", "w", "run")), ...inAnHour(stage) }),
  "a delayed call with a large input": ({ stage, actor }) =>
    sent(actor, { ...marked(submission("greet"), LARGE), ...inAnHour(stage) }),
  "a call that waits for its key": async ({ stage, actor }) => {
    actor.startWorker();
    await sent(actor, keyed("O", "k", "holds"));
    await stage.pulse.settle();
    return await sent(actor, marked(keyed("O", "k", "holds"), LARGE));
  },
  "a send that no worker has taken": ({ actor }) => sent(actor, marked(submission("greet"))),
  "a call that is paused before its first attempt": async ({ stage, actor }) => {
    const id = await sent(actor, { ...marked(submission("greet")), ...inAnHour(stage) });
    await stage.pulse.within(1_000, pause(actor.engine, id));
    return id;
  },
};
const CASES = Object.keys(WAITING).flatMap((what) => (["kill", "cancel"] as const).map((how) => [what, how] as const));

describe.each([
  ["plain records", false],
  ["packed records", true],
])("in a store of %s", (_, packs) => {
  test.each(CASES)("%s leaves nothing of its content after a %s", async (what, how) => {
    const { stage, actor } = await play(packs);
    const { table } = actor.engine;
    const id = await stage.pulse.within(1_000, WAITING[what]!({ stage, actor }));
    expect((await placesOf(table, MARK)).length, "it is stored").toBeGreaterThan(0);
    await stage.pulse.within(1_000, { kill, cancel }[how](actor.engine, id));
    await stage.pulse.settle();
    expect(await inspect(actor.engine, id)).toBeUndefined();
    expect(await placesOf(table, MARK)).toEqual([]);
    expect(await stage.pulse.within(1_000, purge(actor.engine, id))).toBe("done");
    const { items } = await table.query(`inv#${id}`);
    expect(items.map((item) => [item.sk.slice(0, 4), item["tombstone"]])).toEqual([["seg#", true]]);
    expect(await stage.pulse.within(1_000, purge(actor.engine, id))).toBe("unknown");
  });
});

test("an awakeable's value that came before the first attempt is erased with the invocation", async () => {
  const { stage, actor } = await play(false);
  const id = await sent(actor, { ...submission("greet"), ...inAnHour(stage) });
  const value = { kind: "success", value: Buffer.from(LARGE) } as const;
  await stage.pulse.during(deliverSignal(actor.engine, id, "s17", { index: 17 }, value));
  expect((await placesOf(actor.engine.table, MARK)).length).toBeGreaterThan(0);
  await stage.pulse.within(1_000, kill(actor.engine, id));
  expect(await placesOf(actor.engine.table, MARK)).toEqual([]);
});

test.each(["kill", "cancel"] as const)(
  "if the process dies in the middle of the erasure by a %s, the sweeper completes it",
  async (how) => {
    const { stage, actor } = await play(false);
    const id = await sent(actor, { ...marked(submission("greet"), LARGE), ...inAnHour(stage) });
    const operator = stage.actor();
    let deletes = 0;
    operator.process.before = ({ port, method, args }) => {
      const isPiece =
        port === "table" && method === "delete" && String((args[0] as { sk: string }).sk).startsWith("blob#");
      if (!isPiece || deletes++ === 0) return undefined;
      operator.die();
      return new Promise(() => undefined);
    };
    void { kill, cancel }[how](operator.engine, id);
    await stage.pulse.settle();
    expect((await placesOf(actor.engine.table, MARK)).length, "it died before").toBeGreaterThan(0);
    const listed = async () => (await actor.engine.table.get({ pk: `inv#${id}`, sk: "seg#000000" }))!["listSk"];
    expect(await listed(), "the sweeper can find it").toBeDefined();
    await stage.pulse.pass(20 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(actor.engine));
    expect(await placesOf(actor.engine.table, MARK)).toEqual([]);
    expect(await listed()).toBeUndefined();
  },
);

test("a kill of a caller erases the call that waited for its key", async () => {
  const stage = await open(
    {
      calls: async (ctx) => await ctx.get(ctx.call("holds", MARK, { service: "O", key: "k" })),
      holds: () => new Promise<string>(() => {}),
    },
    { services: [objectOf(["holds"])] },
  );
  const actor = stage.actor();
  actor.startWorker();
  await sent(actor, keyed("O", "k", "holds"));
  await stage.pulse.settle();
  const caller = await sent(actor, submission("calls"));
  await stage.pulse.pass(5_000);
  await stage.pulse.within(1_000, kill(actor.engine, caller));
  await stage.pulse.pass(5_000);
  const left = await placesOf(actor.engine.table, MARK);
  expect(left.filter((place) => !place.startsWith(`inv#${caller} `))).toEqual([]);
  expect(await stage.pulse.within(1_000, purge(actor.engine, caller))).toBe("done");
  expect(await placesOf(actor.engine.table, MARK)).toEqual([]);
});

test("nothing of a killed delayed call is found, and its key begins a new life", async () => {
  const { stage, actor } = await play(false);
  const once = { ...submission("greet"), idempotencyKey: "once" };
  const id = await sent(actor, { ...once, ...inAnHour(stage) });
  expect(id).toBe(idempotentId(actor.engine, once.target, "once"));
  await stage.pulse.within(1_000, kill(actor.engine, id));
  expect((await listInvocations(actor.engine, new Map(), { limit: 10 })).invocations).toEqual([]);
  actor.startWorker();
  expect(await sent(actor, once)).toBe(id);
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
});
