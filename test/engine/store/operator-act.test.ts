/** The last act of an operator on an invocation: it is stored with the order, and kept as long as the invocation. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const ADA = "arn:aws:iam::111122223333:user/ada";
const BOB = "arn:aws:iam::111122223333:user/bob";
const CANCEL = { index: 1 };

const handlers: Record<string, Handler> = {
  naps: async (ctx) => {
    await ctx.get(ctx.sleep(4_000_000_000_000));
    return "slept";
  },
  stumbles: () => {
    throw new Error("never well");
  },
  parent: async (ctx) => await ctx.get(ctx.call("naps")),
};

async function play() {
  const stage = await open(handlers, { retry: { initialIntervalMs: 3_600_000, maxIntervalMs: 3_600_000 } });
  const actor = stage.actor();
  actor.startWorker();
  const sent = async (handler: string): Promise<InvocationId> => {
    const { invocationId } = await sendOn(actor, handler);
    await stage.pulse.settle();
    return invocationId;
  };
  return { stage, actor, sent };
}

const actOn = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.lastAct;

test("the last of several acts is shown with its operator, even after the driver has obeyed them", async () => {
  const { stage, actor, sent } = await play();
  const id = await sent("stumbles");
  expect(await actOn(actor, id)).toBeUndefined();
  expect(await pause(actor.engine, id, ADA)).toBe("noted");
  await stage.pulse.settle();
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "paused", lastAct: { kind: "pause", by: ADA } });
  await stage.pulse.pass(10);
  expect(await resume(actor.engine, id, { kind: "keep" }, BOB)).toBe("done");
  await stage.pulse.settle();
  expect(await actOn(actor, id)).toMatchObject({ kind: "resume", by: BOB });
});

test("SQL and a later process show the operator of a kill, even after the journal has gone", async () => {
  const { stage, actor, sent } = await play();
  const id = await sent("naps");
  const atMs = stage.pulse.nowMs();
  expect(await kill(actor.engine, id, ADA)).toBe("done");
  await stage.pulse.settle();
  const killed = { kind: "kill", by: ADA, atMs };
  expect(await actOn(stage.actor(), id)).toEqual(killed);
  expect(await purgeJournal(actor.engine, id)).toBe("done");
  expect(await actOn(stage.actor(), id)).toEqual(killed);
  const columns = "last_action, last_action_by";
  expect(await rowsOf(actor, `select ${columns} from sys_invocation where id = '${id}'`)).toEqual([
    { last_action: "kill", last_action_by: ADA },
  ]);
  const anew = await restart(actor.engine, id, 0, { kind: "latest" });
  expect(anew).toBe("no-journal");
  expect(await purge(actor.engine, id)).toBe("done");
  expect(JSON.stringify((await stage.stores.table.query(`inv#${id}`)).items)).not.toContain(ADA);
});

test("a cancel by an operator is shown; a cancel from another source, or a kill that a killed caller sends, is not", async () => {
  const { stage, actor, sent } = await play();
  const [mine, theirs] = [await sent("naps"), await sent("naps")];
  await cancel(actor.engine, mine, ADA);
  await deliverSignal(actor.engine, theirs, "k", CANCEL, undefined);
  await stage.pulse.settle();
  expect(await actOn(actor, mine)).toMatchObject({ kind: "cancel", by: ADA });
  expect(await actOn(actor, theirs)).toBeUndefined();
  const parent = await sent("parent");
  const child = stage.deployment.of("naps").at(-1)!.start.debugId as InvocationId;
  await kill(actor.engine, parent, ADA);
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, child)).toMatchObject({ status: "completed" });
  expect(await actOn(actor, child)).toBeUndefined();
});

test("without authentication the act is shown without a name, and a restarted invocation shows its restart", async () => {
  const { stage, actor, sent } = await play();
  const id = await sent("naps");
  await kill(actor.engine, id);
  expect(await actOn(actor, id)).toEqual({ kind: "kill", atMs: stage.pulse.nowMs() });
  const anew = await restart(actor.engine, id, 0, { kind: "latest" }, BOB);
  if (typeof anew === "string" || anew.kind !== "restarted") throw new Error("it was not started anew");
  expect(await actOn(actor, anew.invocationId)).toMatchObject({ kind: "restart", by: BOB });
});

test("the name of the operator of an act costs no additional write", async () => {
  const { stage, sent } = await play();
  const id = await sent("naps");
  const [nameless, named] = [stage.actor(), stage.actor()];
  await kill(nameless.engine, id);
  await kill(named.engine, await sent("naps"), ADA);
  expect(named.process.methods("table")).toEqual(nameless.process.methods("table"));
});
