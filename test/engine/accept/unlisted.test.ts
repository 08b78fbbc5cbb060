/** An invocation that is cancelled or killed before its first attempt counts as never accepted, in lists too (I6). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, callOn, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function play(): Promise<{ stage: Stage; actor: Actor; ended: InvocationId }> {
  const stage = await open(
    { greet: () => "hello", holds: () => new Promise(() => {}) },
    { services: [objectOf(["holds"])] },
  );
  const actor = stage.actor();
  const { invocationId } = await stage.pulse.within(1_000, callOn(actor, "greet"));
  return { stage, actor, ended: invocationId };
}

async function shown({ engine }: Actor): Promise<string[]> {
  const { invocations } = await listInvocations(engine, new Map(), { limit: 100 });
  return invocations.map(({ id }) => id);
}

async function expectOnly(actor: Actor, ended: InvocationId): Promise<void> {
  expect(await shown(actor)).toEqual([ended]);
  for (const table of ["sys_invocation", "sys_invocation_status"]) {
    expect(await rowsOf(actor, `select count(*) as c from ${table}`)).toEqual([{ c: 1 }]);
    expect(await rowsOf(actor, `select id, status from ${table} where status = 'completed'`)).toEqual([
      { id: ended, status: "completed" },
    ]);
  }
  expect(await rowsOf(actor, "select distinct id from sys_journal")).toEqual([{ id: ended }]);
}

const ENDS = { cancel, kill } as const;
const BEFORE = ["scheduled", "ready"] as const;
const CASES = BEFORE.flatMap((before) => (["cancel", "kill"] as const).map((end) => [before, end] as const));

test.each(CASES)(
  "an invocation that is %s and ends by a %s is in no list, at once and after a pass of the sweeper",
  async (before, end) => {
    const { stage, actor, ended } = await play();
    const startAtMs = stage.pulse.nowMs() + HOUR_MS;
    const { invocationId } = await sendOn(actor, "greet", "", before === "scheduled" ? { startAtMs } : {});
    expect(await stage.pulse.within(1_000, ENDS[end](actor.engine, invocationId))).toBe("done");
    await expectOnly(actor, ended);
    await stage.pulse.pass(6 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(actor.engine));
    await expectOnly(actor, ended);
    // The message comes later, and changes nothing.
    actor.startWorker();
    await stage.pulse.pass(2 * HOUR_MS);
    await expectOnly(actor, ended);
  },
);

test.each(["cancel", "kill"] as const)(
  "an invocation that waits for its key and ends by a %s is in no list",
  async (end) => {
    const { stage, actor, ended } = await play();
    actor.startWorker();
    const { invocationId: holder } = await sendKeyed(actor, keyed("O", "k", "holds"));
    await stage.pulse.settle();
    const { invocationId: waits } = await sendKeyed(actor, keyed("O", "k", "holds"));
    await stage.pulse.settle();
    expect((await shown(actor)).toSorted()).toEqual([ended, holder, waits].toSorted());
    await stage.pulse.within(1_000, ENDS[end](actor.engine, waits));
    await stage.pulse.settle();
    expect((await shown(actor)).toSorted()).toEqual([ended, holder].toSorted());
  },
);

test("an invocation that is cancelled after a pass of the sweeper is in no list", async () => {
  const { stage, actor, ended } = await play();
  const { invocationId } = await sendOn(actor, "greet", "", { startAtMs: stage.pulse.nowMs() + HOUR_MS });
  await stage.pulse.pass(20 * MINUTE_MS);
  await stage.pulse.within(1_000, sweepOnce(actor.engine));
  expect((await shown(actor)).toSorted()).toEqual([ended, invocationId].toSorted());
  expect(await stage.pulse.within(1_000, cancel(actor.engine, invocationId))).toBe("done");
  await expectOnly(actor, ended);
});

test("if a canceller dies before it unlists the ended invocation, no list shows it, and the sweeper unlists it", async () => {
  const { stage, actor, ended } = await play();
  const { invocationId } = await sendOn(actor, "greet");
  const operator = stage.actor();
  operator.process.before = ({ port, method, args }) => {
    const isUnlisting = port === "table" && method === "update" && "remove" in (args[1] as object);
    if (!isUnlisting) return undefined;
    operator.die();
    return new Promise(() => undefined);
  };
  void cancel(operator.engine, invocationId);
  await stage.pulse.settle();
  const pk = invocationPk("", invocationId);
  const isListed = async () => (await stage.stores.table.get({ pk, sk: "seg#000000" }))?.["listSk"] !== undefined;
  expect(await isListed(), "it died before").toBe(true);
  await expectOnly(actor, ended);
  await stage.pulse.pass(6 * MINUTE_MS);
  await stage.pulse.within(1_000, sweepOnce(actor.engine));
  expect(await isListed()).toBe(false);
  await expectOnly(actor, ended);
});
