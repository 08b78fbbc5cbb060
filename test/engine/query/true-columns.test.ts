/** The cells in the result of an SQL statement are true: a cell is NULL if its value cannot be known. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { callOn, sendOn } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const handlers: Record<string, Handler> = {
  naps: async (ctx) => {
    await ctx.get(ctx.sleep(4_000_000_000_000));
    return "slept";
  },
  failsAfterCalls: async (ctx) => {
    await ctx.get(ctx.call("greets"));
    await ctx.get(ctx.call("greets"));
    throw new Error("never well");
  },
  stumbles: () => {
    throw new Error("never well");
  },
  greets: () => "hello",
  holds: () => new Promise(() => {}),
};

async function play() {
  const stage = await open(handlers, {
    services: [objectOf(["holds"])],
    retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS },
  });
  const actor = stage.actor();
  actor.startWorker();
  const sent = async (handler: string): Promise<InvocationId> => {
    const { invocationId } = await stage.pulse.within(1_000, sendOn(actor, handler));
    await stage.pulse.settle();
    return invocationId;
  };
  const one = async (columns: string, id: string, table = "sys_invocation") =>
    (await rowsOf(actor, `select ${columns} from ${table} where id = '${id}'`))[0];
  return { stage, actor, sent, one };
}

test("a suspended invocation shows its last attempt, and what it waits for", async () => {
  const { sent, one } = await play();
  const naps = await sent("naps");
  const row = await one(
    "running_at, last_start_at, last_attempt_deployment_id as dp, pinned_deployment_id as pinned, waits_for, suspended_waiting_future_json as future",
    naps,
  );
  expect(row).toMatchObject({ running_at: expect.any(Number), dp: expect.stringMatching(/^dp_/) });
  expect(row!["dp"]).toBe(row!["pinned"]);
  expect(row!["last_start_at"]).toBe(row!["running_at"]);
  expect(JSON.parse(String(row!["future"]))).toEqual({
    FirstCompleted: [{ Single: { SignalIndex: 1 } }, { FirstCompleted: [{ Single: { CompletionId: 1 } }] }],
  });
  expect(JSON.parse(String(row!["waits_for"]))).toEqual([
    { kind: "timer", since: expect.stringMatching(/Z$/), until: "2096-10-02T07:06:40.000Z" },
  ]);
});

test("the count of retries has the failures and no replays", async () => {
  const { sent, one, stage, actor } = await play();
  const failing = await sent("failsAfterCalls");
  await stage.pulse.settle();
  expect(await one("status, retry_count, last_failure_error_code", failing)).toMatchObject({
    status: "backing-off",
    retry_count: 1,
  });
  const [attempts] = await rowsOf(actor, `select count(*) as n from sys_journal where id = '${failing}'`);
  expect(Number(attempts!["n"]), "the handler was replayed after each call").toBeGreaterThan(4);
});

test("a failed attempt that added no entry shows its start", async () => {
  const { sent, one } = await play();
  const stumbles = await sent("stumbles");
  const row = await one("status, retry_count, created_at, last_start_at, running_at, waits_for as w", stumbles);
  expect(row).toMatchObject({
    status: "backing-off",
    retry_count: 1,
    last_start_at: expect.any(Number),
    w: expect.stringContaining('"kind":"retry"'),
  });
  expect(row!["running_at"]).toBe(row!["last_start_at"]);
});

test("an ended invocation shows its outcome and waits for nothing, and a statement can filter by the outcome", async () => {
  const { stage, actor, sent, one } = await play();
  const greets = await sent("greets");
  await sent("naps");
  await stage.pulse.within(1_000, callOn(actor, "greets"));
  expect(await one("outcome, waits_for, pause_reason, retry_count", greets)).toEqual({ outcome: "succeeded" });
  const rows = await rowsOf(actor, "select target_handler_name as h from sys_invocation where outcome = 'succeeded'");
  expect(rows).toEqual([{ h: "greets" }, { h: "greets" }]);
  expect(await rowsOf(actor, "select id from sys_invocation where outcome in ('failed', 'killed')")).toEqual([]);
});

test("a pause shows its reason, its moment and its operator", async () => {
  const { stage, actor, sent, one } = await play();
  const stumbles = await sent("stumbles");
  await stage.pulse.within(1_000, pause(actor.engine, stumbles, "ops@example.com"));
  await stage.pulse.settle();
  expect(await one("pause_reason, paused_by, paused_at", stumbles)).toEqual({
    pause_reason: "order",
    paused_by: "ops@example.com",
    paused_at: expect.any(Number),
  });
});

test("a queued invocation shows its ticket, and since when it queues; a paused one that never began holds no key", async () => {
  const { stage, actor, one } = await play();
  const send = async () => (await stage.pulse.within(1_000, sendKeyed(actor, keyed("O", "k", "holds")))).invocationId;
  const holder = await send();
  await stage.pulse.settle();
  const [second, third] = [await send(), await send()];
  await stage.pulse.settle();
  expect(await rowsOf(actor, "select id, sequence_number as n from sys_inbox order by n")).toEqual([
    { id: second, n: 1 },
    { id: third, n: 2 },
  ]);
  const row = await one("status, inboxed_at, created_at, waits_for as w", second);
  expect(row).toMatchObject({ status: "pending", inboxed_at: expect.any(Number) });
  expect(Number(row!["inboxed_at"])).toBeGreaterThanOrEqual(Number(row!["created_at"]));
  expect(JSON.parse(String(row!["w"]))).toMatchObject([{ kind: "key", place: 1, invocation_id: holder }]);
  expect(await one("inboxed_at, status", holder)).toEqual({ status: "running" });
  await stage.pulse.within(1_000, pause(actor.engine, third));
  await stage.pulse.settle();
  expect(await one("status", third)).toEqual({ status: "paused" });
  const held = [{ service_key: "k", invocation_id: holder }];
  expect(await rowsOf(actor, "select service_key, invocation_id from sys_keyed_service_status")).toEqual(held);
  expect(await rowsOf(actor, "select acquired_by as by, acquired_at from sys_locks")).toEqual([
    { by: holder, acquired_at: expect.any(Number) },
  ]);
});

test("the small JSON of an entry has ids, targets and results, and no payload", async () => {
  const { stage, actor } = await play();
  const { invocationId: caller } = await stage.pulse.within(1_000, sendOn(actor, "failsAfterCalls"));
  await stage.pulse.settle();
  const rows = await rowsOf(
    actor,
    `select index, entry_lite_json as lite from sys_journal where id = '${caller}' order by index limit 4`,
  );
  const lite = rows.map((row) => JSON.parse(String(row["lite"])) as unknown);
  expect(lite).toEqual([
    { Command: { Input: {} } },
    {
      Command: {
        Call: {
          invocation_id: expect.stringMatching(/^inv_/),
          invocation_target: { Service: { name: "S", handler: "greets", scope: null } },
          invocation_id_completion_id: expect.any(Number),
          result_completion_id: expect.any(Number),
        },
      },
    },
    {
      Notification: {
        ty: { Completion: "CallInvocationId" },
        id: { CompletionId: expect.any(Number) },
        result: "InvocationId",
      },
    },
    { Notification: { ty: { Completion: "Call" }, id: { CompletionId: expect.any(Number) }, result: "Success" } },
  ]);
});
