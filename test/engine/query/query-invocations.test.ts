/** SQL over invocations: the cells of each status, the origin, the journal and its events. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { callOn, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { PROJECTED } from "../../harness/engine/counted-table.ts";
import { ReadMeter } from "../../harness/engine/read-meter.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const FAR_MS = 4_000_000_000_000;
const handlers: Record<string, Handler> = {
  naps: async (ctx) => {
    await ctx.get(ctx.sleep(FAR_MS));
    return "slept";
  },
  stumbles: () => {
    throw new Error("never well");
  },
  greets: () => "hello",
  calls: async (ctx) => await ctx.get(ctx.call("greets")),
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

test("each table of invocations shows the status of an invocation in the words of that table", async () => {
  const { actor, sent } = await play();
  const ids = { naps: await sent("naps"), stumbles: await sent("stumbles"), greets: await sent("greets") };
  const told = (table: string) => rowsOf(actor, `select id, status from ${table} order by created_at, id`);
  const byId = (rows: Record<string, unknown>[]) =>
    Object.fromEntries(rows.map(({ id, status }) => [String(id), status]));
  expect(byId(await told("sys_invocation"))).toEqual({
    [ids.naps]: "suspended",
    [ids.stumbles]: "backing-off",
    [ids.greets]: "completed",
  });
  expect(byId(await told("sys_invocation_status"))).toEqual({
    [ids.naps]: "suspended",
    [ids.stumbles]: "invoked",
    [ids.greets]: "completed",
  });
  expect(await rowsOf(actor, "select id, in_flight from sys_invocation_state")).toEqual([
    { id: ids.stumbles, in_flight: false },
  ]);
});

test("completed, failing and waiting invocations each have the cells of their status", async () => {
  const { actor, sent } = await play();
  const [naps, stumbles, greets] = [await sent("naps"), await sent("stumbles"), await sent("greets")];
  const one = async (columns: string, id: string) => {
    return (await rowsOf(actor, `select ${columns} from sys_invocation where id = '${id}'`))[0];
  };
  expect(await one("completion_result, retry_count, target, journal_size", greets)).toEqual({
    completion_result: "success",
    target: "S/greets",
    journal_size: 2,
  });
  const failing = await one("retry_count, last_failure, completion_result, next_retry_at", stumbles);
  expect(failing).toEqual({
    retry_count: 1,
    last_failure: expect.stringContaining("[500 Internal] never well"),
    next_retry_at: expect.any(Number),
  });
  expect(await one("suspended_waiting_for_completions as c, retry_count", naps)).toEqual({ c: [1] });
});

test("the origin of an invocation is shown: the ingress, a caller, or the invocation that it restarts", async () => {
  const { stage, actor, sent } = await play();
  const { invocationId: caller } = await stage.pulse.within(1_000, callOn(actor, "calls"));
  const former = await sent("greets");
  const restarted = await stage.pulse.within(1_000, restart(actor.engine, former, 0, { kind: "latest" }));
  if (typeof restarted === "string" || restarted.kind !== "restarted") throw new Error("it was not begun anew");
  await stage.pulse.settle();
  const of = (where: string) =>
    rowsOf(actor, `select invoked_by, invoked_by_id, restarted_from from sys_invocation where ${where}`);
  expect(await of(`id = '${former}'`)).toEqual([{ invoked_by: "ingress" }]);
  expect(await of(`invoked_by_id = '${caller}'`)).toEqual([{ invoked_by: "service", invoked_by_id: caller }]);
  expect(await of(`id = '${restarted.invocationId}'`)).toEqual([
    { invoked_by: "restart_as_new", restarted_from: former },
  ]);
});

test("a statement about open invocations reads no completed ones", async () => {
  const { stage, actor, sent } = await play();
  const naps = await sent("naps");
  for (let i = 0; i < 30; i++) await stage.pulse.within(1_000, callOn(actor, "greets"));
  const table = new ReadMeter(actor.engine.table, PROJECTED);
  const engine = { ...actor.engine, table };
  const rows = await rowsOf({ engine }, "select id, journal_size from sys_invocation where status = 'suspended'");
  expect(rows).toEqual([{ id: naps, journal_size: 2 }]);
  expect(table.indexQueries, "one query of the open index").toBe(1);
  expect(table.queries - table.indexQueries, "the progress of the sweeper, and what the index does not show").toBe(2);
});

test("the tables show the entries of a journal, and failures and a pause as events", async () => {
  const { stage, actor, sent } = await play();
  const { invocationId: caller } = await stage.pulse.within(1_000, callOn(actor, "calls"));
  const entries = await rowsOf(
    actor,
    `select index, entry_type from sys_journal where id = '${caller}' order by index`,
  );
  expect(entries.map(({ index, entry_type: type }) => `${String(index)} ${String(type)}`)).toEqual([
    "0 Command: Input",
    "1 Command: Call",
    "2 Notification: CallInvocationId",
    "3 Notification: Call",
    "4 Command: Output",
  ]);
  const stumbles = await sent("stumbles");
  const events = `select event_type, event_json from sys_journal_events where id = '${stumbles}' order by appended_at`;
  expect((await rowsOf(actor, events)).map(({ event_type: type }) => type)).toEqual(["TransientError"]);
  await stage.pulse.within(1_000, pause(actor.engine, stumbles));
  await stage.pulse.settle();
  const paused = (await rowsOf(actor, events)).at(-1)!;
  expect(paused["event_type"]).toBe("Paused");
  expect(JSON.parse(String(paused["event_json"]))).toMatchObject({
    ty: "Paused",
    last_failure: { error_code: 500, error_message: "never well" },
  });
});
