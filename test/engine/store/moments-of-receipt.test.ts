/** The moment of each entry of a journal is that of its receipt, although a segment has many entries. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const FIRST_MS = 300;
const SECOND_MS = 150;

/** Two steps, one after the other; each lasts until its gate opens. */
function twoSteps() {
  const gates = { first: new Gate(), second: new Gate() };
  const steps: Handler = async (ctx) => {
    await ctx.get(ctx.run("first", () => gates.first.passed.then(() => "1")));
    await ctx.get(ctx.run("second", () => gates.second.passed.then(() => "2")));
    return "done";
  };
  return { steps, gates };
}

async function played(opensExchanges: boolean) {
  const { steps, gates } = twoSteps();
  const stage = await open({ steps }, { opensExchanges, openWaitMs: 60_000 });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "steps");
  await stage.pulse.settle();
  const beganMs = actor.engine.clock.nowMs();
  await stage.pulse.pass(FIRST_MS);
  gates.first.open();
  await stage.pulse.settle();
  await stage.pulse.pass(SECOND_MS);
  gates.second.open();
  await stage.pulse.pass(1_000);
  return { stage, actor, id, beganMs };
}

async function momentsAt({ engine }: Actor, id: Parameters<typeof inspect>[1], beganMs: number) {
  const { entries } = (await inspect(engine, id))!;
  return entries.slice(1).map(({ type, name = "", atMs, isReceiptUnknown }) => {
    const what = `${type.replace(/^.*: /, "")} ${name}`.trim();
    return [what, isReceiptUnknown === true ? "unknown" : atMs - beganMs];
  });
}

test("on an open exchange each step has the moments of its command and of its result", async () => {
  const { stage, actor, id, beganMs } = await played(true);
  const expected = [
    ["Run first", 0],
    ["Run", FIRST_MS],
    ["Run second", FIRST_MS],
    ["Run", FIRST_MS + SECOND_MS],
    ["Output", FIRST_MS + SECOND_MS],
  ];
  expect(await momentsAt(actor, id, beganMs)).toEqual(expected);
  // Another process reads them from the table.
  expect(await momentsAt(stage.actor(), id, beganMs)).toEqual(expected);
  const rows = await rowsOf(stage.actor(), `select appended_at from sys_journal where id = '${id}' order by index`);
  expect(rows.slice(1).map(({ appended_at: at }) => Number(at) - beganMs)).toEqual(expected.map(([, at]) => at));
});

test("entries of one answer have the moment at which the answer came", async () => {
  const { actor, id, beganMs } = await played(false);
  const all = FIRST_MS + SECOND_MS;
  const moments = await momentsAt(actor, id, beganMs);
  for (const [, at] of moments) expect([FIRST_MS, all]).toContain(at);
  expect(moments.map(([what]) => what)).toEqual(["Run first", "Run", "Run second", "Run", "Output"]);
});

test("entries that a restart copies have no moments of their own, only the moment of the copy", async () => {
  const { stage, actor, id } = await played(true);
  await stage.pulse.pass(1_000);
  const restarted = await restart(actor.engine, id, 2, { kind: "latest" });
  if (restarted === "unknown" || typeof restarted === "string" || restarted.kind !== "restarted") throw new Error("");
  await stage.pulse.pass(1_000);
  const { entries, createdAtMs } = (await inspect(actor.engine, restarted.invocationId))!;
  const copied = entries.slice(1, 3);
  expect(copied.map(({ isReceiptUnknown }) => isReceiptUnknown)).toEqual([true, true]);
  for (const { atMs } of copied) expect(atMs).toBe(createdAtMs);
  for (const { isReceiptUnknown } of entries.slice(3)) expect(isReceiptUnknown).toBeUndefined();
});
