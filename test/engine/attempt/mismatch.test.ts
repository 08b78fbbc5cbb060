/** Tests the failure message and the view after a change of code that contradicts the journal. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { ErrorMessage, CONTROL } from "../../../shared/core/protocol/control-messages.ts";
import { COMMANDS, type CommandName } from "../../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import { deploymentId } from "../../core/registry/sample-deployment.ts";
import { sendOn, type StageSettings } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const RETRY_MS = 500_000;

/** Records a step, then changes the code: the SDK reports a mismatch. */
async function changed(message: string, index: number, type: CommandName, name?: string, settings: StageSettings = {}) {
  const stage = await open(
    { works: async (ctx) => (await ctx.get(ctx.run("charge", () => "1"))) + (await ctx.get(ctx.awakeable().result)) },
    { retry: { initialIntervalMs: RETRY_MS, maxIntervalMs: RETRY_MS }, ...settings },
  );
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "works");
  const error = {
    code: 570,
    message,
    relatedCommandIndex: index,
    relatedCommandType: COMMANDS[type].code,
    ...(name !== undefined && { relatedCommandName: name }),
  };
  // The first attempt records the step; the next one meets the changed code.
  stage.deployment.instead = ({ commands }) =>
    commands.length > 1 ? { body: messageFrame(CONTROL.Error, ErrorMessage, error) } : undefined;
  await stage.pulse.pass(1_000);
  return { stage, actor, id: invocationId as InvocationId };
}

test("a mismatch reports both sides: the recorded command and the one that the code produced", async () => {
  const { stage, actor, id } = await changed("a mismatch", 1, "Sleep", "nap");
  const failure = {
    errorCode: "RT0016",
    code: 570,
    message: [
      `entry 1 is Run 'charge' in the journal and Sleep 'nap' in the code of deployment ${deploymentId(1)}`,
      "The report of the SDK, which may name the two sides the other way round:",
      "a mismatch",
    ].join("\n"),
    mismatch: {
      index: 1,
      entry: 1,
      deploymentId: deploymentId(1),
      recorded: { type: "Run", name: "charge" },
      offered: { type: "Sleep", name: "nap" },
    },
  };
  const view = await inspect(actor.engine, id);
  expect(view).toMatchObject({ status: "backing-off", lastFailure: failure });
  expect(view!.events.at(-1)!.message).toBe(failure.message);
  await stage.reboot();
  expect(await inspect(stage.actor().engine, id)).toMatchObject({ lastFailure: failure });
});

test("a mismatch of commands of one type reports the first field that differs", async () => {
  const words = "a mismatch\n- Difference:\n   name: charge != refund\n   other: 1 != 2";
  const { actor, id } = await changed(words, 1, "Run", "refund");
  const { lastFailure } = (await inspect(actor.engine, id))!;
  expect(lastFailure!.mismatch).toMatchObject({ field: { name: "name", recorded: "charge", offered: "refund" } });
  expect(lastFailure!.message).toContain("the first difference is name: 'charge' there, 'refund' here");
});

test("a mismatch after the end of the journal reports no recorded command", async () => {
  const { actor, id } = await changed("a mismatch", 2, "Sleep");
  const { lastFailure } = (await inspect(actor.engine, id))!;
  expect(lastFailure!.message).toMatch(/^entry 3 is nothing in the journal and Sleep in the code of deployment dp_1/);
  expect(lastFailure!.mismatch?.recorded).toBeUndefined();
});

test("the view shows both sides with their deployments, the entries up to the mismatch, and the ways out", async () => {
  const words = "a mismatch\n   name: charge != refund";
  const { actor, id } = await changed(words, 1, "Run", "refund");
  const { mismatch } = (await showInvocation(actor.engine, id))!;
  const side = { deploymentId: deploymentId(1), revision: 1 };
  expect(mismatch).toMatchObject({ entry: 1, journal: side, code: side });
  expect(mismatch!.rows).toEqual([
    { entry: 0, recorded: "Input", offered: "Input" },
    { entry: 1, recorded: "Run 'charge'", offered: "Run 'refund' (name: 'refund' instead of 'charge')" },
  ]);
  expect(mismatch!.waysOut.map(({ action }) => action)).toEqual(["restore", "move", "restart", "kill"]);
});

test("for an entry after the end of the journal, the view shows only what the code offers", async () => {
  const { actor, id } = await changed("a mismatch", 2, "Sleep");
  const { mismatch } = (await showInvocation(actor.engine, id))!;
  expect(mismatch!.rows.at(-1)).toEqual({ entry: 3, offered: "Sleep" });
});

test("a name of 1 MiB from an SDK is cut where it is kept, shown and logged", async () => {
  const name = "né".repeat(350_000);
  const messageSizeMaxBytes = 8 * 1024 * 1024;
  const { actor, id } = await changed(`a mismatch\n  name: charge != ${name}`, 1, "Run", name, { messageSizeMaxBytes });
  const view = (await showInvocation(actor.engine, id))!;
  const { relatedCommand, mismatch, message } = view.lastFailure!;
  for (const kept of [relatedCommand!.name!, mismatch!.offered.name!, mismatch!.field!.offered]) {
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(256);
    expect(kept).toMatch(/^(né)+n?…$/);
  }
  expect(Buffer.byteLength(message)).toBeLessThan(16_384);
  expect(Buffer.byteLength(JSON.stringify(view.mismatch!.rows))).toBeLessThan(4_096);
  expect(Buffer.byteLength(JSON.stringify(view.events))).toBeLessThan(16_384);
  const [line] = actor.log.lines.filter(({ event }) => event === "journal.mismatched");
  expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(4_096);
});

test("names and keys of 60 KiB in the journal are cut where they are shown and logged", async () => {
  const name = "n".repeat(60_000);
  const stage = await open({
    works: (ctx) => ctx.get(ctx.run(name, () => "1")).then(() => ctx.get(ctx.awakeable().result)),
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "works");
  const error = { code: 570, message: "a mismatch", relatedCommandIndex: 1, relatedCommandType: COMMANDS.Sleep.code };
  stage.deployment.instead = ({ commands }) =>
    commands.length > 1 ? { body: messageFrame(CONTROL.Error, ErrorMessage, error) } : undefined;
  await stage.pulse.pass(1_000);
  const { lastFailure, mismatch } = (await showInvocation(actor.engine, id))!;
  expect(Buffer.byteLength(JSON.stringify([lastFailure, mismatch]))).toBeLessThan(8_192);
  expect(mismatch!.rows.at(-1)!.recorded).toMatch(/^Run 'n+…'$/);
});

test("with a retention of zero, the ways out include no restart, because a kill would leave nothing to restart", async () => {
  const { actor, id } = await changed("a mismatch", 1, "Sleep", "nap", { journalRetentionMs: 0 });
  const { waysOut } = (await showInvocation(actor.engine, id))!.mismatch!;
  expect(waysOut.map(({ action }) => action)).toEqual(["restore", "move", "kill"]);
  await kill(actor.engine, id);
  expect(await restart(actor.engine, id, 1, { kind: "keep" })).not.toHaveProperty("kind");
});
