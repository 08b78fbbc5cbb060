/** Changes of all invocations that match filters: the count, the question, the outcomes and the exit code. */
import { TerminalError, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const sleeps = async (ctx: Context): Promise<void> => ctx.sleep({ hours: 1 });
const fails = async (_ctx: Context): Promise<void> => {
  throw new Error("not yet");
};

const refuses = async (_ctx: Context): Promise<void> => {
  throw new TerminalError("not today");
};
const succeeds = async (_ctx: Context): Promise<void> => {};

const ops = service({
  name: "Ops",
  handlers: { sleep: sleeps, nap: sleeps, fail: fails, refuse: refuses, succeed: succeeds },
});
const other = service({ name: "Other", handlers: { sleep: sleeps } });
const mixed = service({ name: "Mixed", handlers: { sleep: sleeps, done: succeeds } });

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [ops, other, mixed] })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

async function sent(target: string, count: number, status: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const response = await fetch(`${stage.ingressUri}/${target}/send`, { method: "POST" });
    ids.push(((await response.json()) as { invocationId: string }).invocationId);
  }
  for (const id of ids) await becomes(id, status);
  return ids;
}

async function statusOf(id: string): Promise<string> {
  return ((await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as { status: string }).status;
}

const becomes = (id: string, status: string): Promise<void> => expect.poll(() => statusOf(id)).toBe(status);

it("one confirmed question kills all invocations that match the filters, and no other invocation", async () => {
  const script = scribe(command, env);
  const matching = await sent("Ops/sleep", 3, "suspended");
  const others = [...(await sent("Ops/nap", 1, "suspended")), ...(await sent("Other/sleep", 1, "suspended"))];
  expect(await script.run("invocations kill --service Ops --handler sleep")).toBe(4);
  expect(await script.run("invocations kill --service Ops --handler sleep --dry-run")).toBe(0);
  const declined = { after: "Kill these 3 invocations?", keys: "no\r" };
  expect(await script.run("invocations kill --service Ops --handler sleep", { typed: declined })).toBe(4);
  expect(await script.run("invocations kill --service Ops --handler sleep --older-than 1h --yes")).toBe(0);
  expect(await script.run("invocations kill --service Ops --created-before 2020-01-01T00:00:00Z --yes")).toBe(0);
  expect(await Promise.all(matching.map(statusOf))).toEqual(matching.map(() => "suspended"));
  const typed = { after: "Kill these 3 invocations?", keys: "yes\r" };
  expect(await script.run("invocations kill --service Ops --handler sleep", { typed })).toBe(0);
  for (const id of matching) await becomes(id, "completed");
  expect(await Promise.all(others.map(statusOf))).toEqual(["suspended", "suspended"]);
  expect(await script.run("invocations kill --service Ops --handler sleep --yes --json")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/bulk-kill.txt");
});

it("a resume of invocations that sleep says that their sleep goes on", async () => {
  const script = scribe(command, env);
  const [one, two] = await sent("Other/sleep", 2, "suspended");
  expect(await script.run(`invocations resume ${one} --yes`)).toBe(0);
  await becomes(one!, "suspended");
  expect(await script.run("invocations resume --service Other --status suspended --yes")).toBe(0);
  await becomes(two!, "suspended");
  expect(await script.run(`invocations kill ${one} ${two} --yes`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/resume-sleeping.txt");
});

it("invocations are paused by status or by handler, and resumed by service", async () => {
  const script = scribe(command, env);
  const [sleeping] = await sent("Other/sleep", 1, "suspended");
  const [failing] = await sent("Ops/fail", 1, "backing-off");
  expect(await script.run("invocations pause --service Other --status suspended --yes")).toBe(0);
  await becomes(sleeping!, "paused");
  const paused = await command.run(["inv", "pause", "--handler", "fail", "--yes", "--json"], { env });
  expect(paused.code).toBe(0);
  const invocations = [{ id: failing, outcome: "noted" }];
  expect(JSON.parse(paused.stdout)).toEqual({ matched: 1, may_have_more: false, invocations });
  await becomes(failing!, "paused");
  expect(await script.run("invocations resume --service Ops --pinned-to dp_1abcdefghijklmnopqrstuvwxyz --yes")).toBe(0);
  expect(await script.run("invocations resume --service Ops --yes")).toBe(0);
  await expect.poll(() => statusOf(failing!)).not.toBe("paused");
  await command.run(["inv", "kill", failing!, "--yes"], { env });
  await expect(script.text).toMatchFileSnapshot("transcripts/bulk-pause.txt");
});

it("failed invocations are restarted, each under a new id", async () => {
  const script = scribe(command, env);
  const ids = await sent("Ops/refuse", 2, "completed");
  await sent("Ops/succeed", 1, "completed");
  expect(await script.run("invocations restart --service Ops --handler refuse --handler succeed --from 1 --yes")).toBe(
    2,
  );
  const { stdout, code } = await command.run(
    ["inv", "restart", "--service", "Ops", "--handler", "refuse", "--handler", "succeed", "--yes", "--json"],
    { env },
  );
  expect(code).toBe(0);
  type Restarted = { id: string; outcome: string; new_invocation_id: string };
  const { invocations } = JSON.parse(stdout) as { invocations: readonly Restarted[] };
  expect(new Set(invocations.map(({ id }) => id))).toEqual(new Set(ids));
  for (const { outcome, new_invocation_id: id } of invocations) {
    expect(outcome).toBe("done");
    await becomes(id, "completed");
  }
  expect(await script.run("invocations purge --service Ops --handler refuse --status failed --yes")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/bulk-restart.txt");
});

it("the output shows each refusal beside the successes, and one refusal makes the command fail", async () => {
  const script = scribe(command, env);
  const [sleeping] = await sent("Mixed/sleep", 1, "suspended");
  await sent("Mixed/done", 2, "completed");
  expect(await script.run("invocations purge --service Mixed --status completed,open --yes")).toBe(1);
  expect(await script.run("invocations purge --service Mixed --status completed,open --yes --json")).toBe(1);
  expect(await statusOf(sleeping!)).toBe("suspended");
  await expect(script.text).toMatchFileSnapshot("transcripts/bulk-partial.txt");
});

it("a command line that names both ids and filters, or neither, changes nothing", async () => {
  const script = scribe(command, env);
  expect(await script.run("invocations kill inv_1 --service Ops")).toBe(2);
  expect(await script.run("invocations kill --yes")).toBe(2);
  expect(await script.run("invocations kill --dry-run")).toBe(2);
  expect(await script.run("invocations kill --older-than ever")).toBe(2);
  expect(await script.run("invocations kill --status asleep --yes --json")).toBe(2);
  expect(await script.run("invocations purge --status failed --status running --yes")).toBe(2);
  expect(await script.run("invocations restart")).toBe(2);
  await expect(script.text).toMatchFileSnapshot("transcripts/bulk-refused.txt");
});
