/** Tests which deployment a journal mismatch names as the recorder of the entry: also across restarts and moves. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { CONTROL, ErrorMessage } from "../../../shared/core/protocol/control-messages.ts";
import { COMMANDS } from "../../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const RETRY_MS = 500_000;
const [FIRST, SECOND] = [deploymentId(1), deploymentId(2)];
const ON_SECOND = { kind: "id", deploymentId: SECOND } as const;

const works: Handler = async (ctx) =>
  (await ctx.get(ctx.run("charge", () => "1"))) +
  (await ctx.get(ctx.awakeable().result)) +
  (await ctx.get(ctx.awakeable().result));

/** @returns an invocation that waits on the first deployment, with a Run in entry 1; the second deployment differs there */
async function recorded() {
  const stage = await open({ works }, { retry: { initialIntervalMs: RETRY_MS, maxIntervalMs: RETRY_MS } });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "works");
  await stage.pulse.settle();
  const newer = deployment(2, [service("S", ["works"], { revision: 2 } as object)]);
  await writeDeployment(stage.stores.meta, "", newer, 1);
  await stage.pulse.pass(2_000);
  /** @param index the command at which the code of the second deployment differs */
  const differsAt = (index: number) => {
    const error = {
      code: 570,
      message: "a mismatch",
      relatedCommandIndex: index,
      relatedCommandType: COMMANDS.Sleep.code,
    };
    stage.deployment.instead = ({ destination }) =>
      "uri" in destination && destination.uri.includes("host-2")
        ? { body: messageFrame(CONTROL.Error, ErrorMessage, error) }
        : undefined;
  };
  differsAt(1);
  return { stage, actor, id: invocationId, differsAt };
}

const mismatchOf = async ({ engine }: Actor, id: InvocationId) => (await showInvocation(engine, id))!.mismatch!;

async function restarted({ engine }: Actor, id: InvocationId, from: number): Promise<InvocationId> {
  const answer = await restart(engine, id, from, ON_SECOND);
  if (typeof answer === "string" || answer.kind !== "restarted") throw new Error(JSON.stringify(answer));
  return answer.invocationId;
}

test("after a move, the deployment that ran the former attempts recorded the entry", async () => {
  const { stage, actor, id } = await recorded();
  await resume(actor.engine, id, ON_SECOND);
  await stage.pulse.pass(2_000);
  const mismatch = await mismatchOf(actor, id);
  expect(mismatch.journal).toMatchObject({ deploymentId: FIRST, revision: 1 });
  expect(mismatch.code).toMatchObject({ deploymentId: SECOND, revision: 2 });
  expect(mismatch.waysOut.map(({ action }) => action)).toEqual(["move", "restart", "kill"]);
  expect(mismatch.waysOut[0]!.commands.at(-1)).toBe(`stepwell invocations resume ${id} --deployment ${FIRST}`);
});

test("the log names the recording deployment, and suggests to continue on it", async () => {
  const { stage, actor, id } = await recorded();
  await resume(actor.engine, id, ON_SECOND);
  await stage.pulse.pass(2_000);
  const lines = actor.log.lines.filter(({ event }) => event === "journal.mismatched");
  expect(lines).toHaveLength(1);
  const { waysOut } = await mismatchOf(actor, id);
  const ways = waysOut.map(({ action, commands }) => `${action}: ${commands.join(" && ")}`);
  expect(lines[0]!.fields).toMatchObject({ recordedBy: FIRST, deploymentId: SECOND, waysOut: ways.join(" | ") });
  expect(lines[0]!.fields["waysOut"]).toContain(`resume ${id} --deployment ${FIRST}`);
});

test("if the deployments cannot be read, the log suggests only the command that describes the mismatch", async () => {
  const { stage, actor, id } = await recorded();
  const { registry } = actor.engine;
  Object.assign(registry, { deployments: () => Promise.reject(new Error("throttled")) });
  await resume(actor.engine, id, { kind: "keep" });
  const error = { code: 570, message: "a mismatch", relatedCommandIndex: 1, relatedCommandType: COMMANDS.Sleep.code };
  stage.deployment.instead = () => ({ body: messageFrame(CONTROL.Error, ErrorMessage, error) });
  await stage.pulse.pass(2_000);
  const [line] = actor.log.lines.filter(({ event }) => event === "journal.mismatched");
  expect(line!.fields["recordedBy"]).toBeUndefined();
  expect(line!.fields["waysOut"]).toBe(`describe: stepwell invocations describe ${id}`);
});

test("entries that restarts copied were recorded by the deployment of the first invocation", async () => {
  const { stage, actor, id } = await recorded();
  const { entries } = (await inspect(actor.engine, id))!;
  await kill(actor.engine, id);
  const second = await restarted(actor, id, 2);
  await stage.pulse.pass(2_000);
  const journal = { deploymentId: FIRST, atMs: entries[1]!.atMs };
  expect((await mismatchOf(actor, second)).journal).toMatchObject(journal);
  await kill(actor.engine, second);
  const third = await restarted(actor, second, 2);
  await stage.pulse.pass(2_000);
  expect((await mismatchOf(actor, third)).journal).toMatchObject(journal);
});

test("the recorder of a copied entry is unknown once the former invocation is gone", async () => {
  const { stage, actor, id } = await recorded();
  await kill(actor.engine, id);
  const second = await restarted(actor, id, 2);
  await purge(actor.engine, id);
  await stage.pulse.pass(2_000);
  const mismatch = await mismatchOf(actor, second);
  expect(mismatch.rows.at(-1)).toMatchObject({ entry: 1, recorded: "Run 'charge'" });
  expect(mismatch.journal).toBeUndefined();
  expect(mismatch.waysOut[0]!.text).toContain("is unknown");
  expect(mismatch.waysOut[0]!.commands).toContain("stepwell deployments register <address>");
});

test("another deployment of the service is not named, because it did not record the entry", async () => {
  const { stage, actor, id } = await recorded();
  const error = { code: 570, message: "a mismatch", relatedCommandIndex: 1, relatedCommandType: COMMANDS.Sleep.code };
  stage.deployment.instead = () => ({ body: messageFrame(CONTROL.Error, ErrorMessage, error) });
  await resume(actor.engine, id, { kind: "keep" });
  await stage.pulse.pass(2_000);
  const { journal, code, waysOut } = await mismatchOf(actor, id);
  expect([journal?.deploymentId, code.deploymentId]).toEqual([FIRST, FIRST]);
  expect(waysOut.map(({ action }) => action)).toEqual(["restore", "move", "restart", "kill"]);
  expect(JSON.stringify(waysOut)).not.toContain(SECOND);
});

test("a mismatch behind the end of the journal names no deployment as the recorder", async () => {
  const { stage, actor, id, differsAt } = await recorded();
  const { length } = (await inspect(actor.engine, id))!.entries;
  differsAt(99);
  await resume(actor.engine, id, ON_SECOND);
  await stage.pulse.pass(2_000);
  const mismatch = await mismatchOf(actor, id);
  expect(mismatch.journal).toBeUndefined();
  expect(mismatch.entry).toBe(length);
});

test("the failure, the rows and the restart command give an entry the same number, also behind the end of the journal", async () => {
  const { stage, actor, id, differsAt } = await recorded();
  differsAt(99);
  await resume(actor.engine, id, ON_SECOND);
  await stage.pulse.pass(2_000);
  // The pause adds the cancel to the journal, behind the last entry that existed at the failure.
  await cancel(actor.engine, id);
  await pause(actor.engine, id);
  await stage.pulse.pass(2_000);
  const { lastFailure, mismatch, entries } = (await showInvocation(actor.engine, id))!;
  expect(entries.length).toBeGreaterThan(mismatch!.entry);
  expect(lastFailure!.message).toMatch(new RegExp(`^entry ${mismatch!.entry} is nothing`));
  expect(mismatch!.rows.at(-1)).toEqual({ entry: mismatch!.entry, offered: "Sleep" });
  expect(mismatch!.rows.slice(0, -1).map(({ entry }) => entries[entry]!.type)).toEqual([
    "Command: Input",
    "Command: Run",
  ]);
  expect(JSON.stringify(mismatch!.waysOut)).toContain(`--from ${mismatch!.entry - 1} `);
});
