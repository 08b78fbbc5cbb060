/** The entries of a journal in the API's view and in SQL: the moment and the subject of each entry. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { callOn, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const NAP_MS = 3_600_000;

test("every entry has the moment of its segment, also between the first segment and the last", async () => {
  let untilMs = 0;
  const naps: Handler = async (ctx) => {
    await ctx.get(ctx.sleep(untilMs));
    await ctx.get(ctx.sleep(untilMs + NAP_MS));
    return "slept";
  };
  const stage = await open({ naps });
  const actor = stage.actor();
  actor.startWorker();
  const startMs = actor.engine.clock.nowMs();
  untilMs = startMs + NAP_MS;
  const { invocationId: id } = await sendOn(actor, "naps");
  await stage.pulse.pass(3 * NAP_MS);
  const { entries } = (await inspect(actor.engine, id))!;
  expect(entries.map(({ type }) => type)).toEqual([
    "Command: Input",
    "Command: Sleep",
    "Notification: Sleep",
    "Command: Sleep",
    "Notification: Sleep",
    "Command: Output",
  ]);
  const hours = entries.map(({ atMs }) => Math.floor((atMs - startMs) / NAP_MS));
  expect(hours).toEqual([0, 0, 1, 1, 2, 2]);
  const rows = await rowsOf(actor, `select appended_at from sys_journal where id = '${id}' order by index`);
  expect(rows.map(({ appended_at: at }) => at)).toEqual(entries.map(({ atMs }) => atMs));
});

const handlers: Record<string, Handler> = {
  waits: async (ctx) => await ctx.get(ctx.signal("go")),
  greets: () => "hello",
  acts: async (ctx) => {
    const waiting = await ctx.get(ctx.send("waits"));
    ctx.sendSignal(waiting, "go", "now");
    await ctx.get(ctx.call("greets"));
    await ctx.get(ctx.attach(waiting));
    return "done";
  },
};

test("an entry shows the target, signal or invocation that it is about", async () => {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(60_000, callOn(actor, "acts"));
  const { entries } = (await inspect(actor.engine, id))!;
  const told = (type: string) => entries.find((entry) => entry.type === type);
  const waiting = told("Command: OneWayCall")!.invocationId!;
  expect(waiting).toMatch(/^inv_/);
  expect(told("Command: OneWayCall")).toMatchObject({ target: "S/waits" });
  expect(told("Command: SendSignal")).toMatchObject({ signal: "go", invocationId: waiting });
  expect(told("Command: AttachInvocation")).toMatchObject({ invocationId: waiting });
  const call = told("Command: Call")!;
  expect(call).toMatchObject({ target: "S/greets", invocationId: expect.stringMatching(/^inv_/) as string });
  expect(told("Notification: Call")).toMatchObject({ completes: call.index });
  const { entries: others } = (await inspect(actor.engine, waiting as typeof id))!;
  expect(others.find(({ type }) => type === "Notification: Signal")).toMatchObject({ signal: "go" });
});

test("sys_journal fills the columns of each command, and shows the command's message without the frame header", async () => {
  const untilMs = 4_000_000_000_000;
  const stage = await open({ ...handlers, naps: async (ctx) => await ctx.get(ctx.sleep(untilMs)) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(60_000, callOn(actor, "acts"));
  const columns = "entry_type, invoked_target, invoked_id, completed, raw, raw_length";
  const rows = await rowsOf(actor, `select ${columns} from sys_journal where id = '${id}' order by index`);
  const call = rows.find(({ entry_type: type }) => type === "Command: Call")!;
  expect(call).toMatchObject({
    invoked_target: "S/greets",
    completed: true,
    raw_length: (call["raw"] as Uint8Array).length,
  });
  expect(call["invoked_id"]).toMatch(/^inv_/);
  // The first field of a Call is the name of the service: tag 1, one byte, `S`.
  expect([...(call["raw"] as Uint8Array).subarray(0, 3)]).toEqual([0x0a, 1, 0x53]);
  const { invocationId: naps } = await sendOn(actor, "naps");
  await stage.pulse.settle();
  const where = `where id = '${naps}' and entry_type = 'Command: Sleep'`;
  expect(await rowsOf(actor, `select sleep_wakeup_at, completed from sys_journal ${where}`)).toEqual([
    { sleep_wakeup_at: untilMs, completed: false },
  ]);
});
