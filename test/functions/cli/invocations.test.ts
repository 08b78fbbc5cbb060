/** The output of `stepwell invocations` for people, scripts and programs. */
import { TerminalError, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe, type Scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

let healed = false;

const worker = service({
  name: "Worker",
  handlers: {
    sleep: async (ctx: Context): Promise<void> => {
      await ctx.run("prepare", () => "ready");
      await ctx.sleep({ hours: 1 });
    },
    fail: async (_ctx: Context): Promise<void> => {
      if (!healed) throw new Error("not yet");
    },
    stall: async (_ctx: Context): Promise<void> => {
      throw new Error("never");
    },
    refuse: async (_ctx: Context): Promise<void> => {
      throw new TerminalError("not today", { errorCode: 418 });
    },
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;
let script: Scribe;

beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [worker] })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri };
  script = scribe(command, env);
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

async function send(handler: string): Promise<string> {
  const response = await fetch(`${stage.ingressUri}/Worker/${handler}/send`, { method: "POST" });
  return ((await response.json()) as { invocationId: string }).invocationId;
}

async function statusOf(id: string): Promise<string> {
  const response = await fetch(`${stage.adminUri}/invocations/${id}`);
  return ((await response.json()) as { status: string }).status;
}

const becomes = (id: string, status: string): Promise<void> => expect.poll(() => statusOf(id)).toBe(status);

/** The driver may wait in memory before it parks; only a parked invocation has `wake_at`. */
async function sleeping(): Promise<string> {
  const id = await send("sleep");
  const body = async (): Promise<unknown> => (await fetch(`${stage.adminUri}/invocations/${id}`)).json();
  await expect.poll(body).toMatchObject({ status: "suspended", wake_at: expect.any(String) as string });
  return id;
}

it("an invocation is described with its journal and its failure", async () => {
  script = scribe(command, env);
  expect(await script.run(`invocations describe ${await sleeping()}`)).toBe(0);
  const refused = await send("refuse");
  await becomes(refused, "completed");
  expect(await script.run(`inv get ${refused}`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/invocation-described.txt");
});

it("invocations are listed, by filters, page by page", async () => {
  script = scribe(command, env);
  for (const id of [await send("refuse"), await send("refuse"), await send("refuse")]) await becomes(id, "completed");
  expect(await script.run("invocations ls --handler refuse --limit 2")).toBe(0);
  const { stdout } = await command.run(["inv", "ls", "--handler", "refuse", "--limit", "2", "--json"], { env });
  const { next, invocations } = JSON.parse(stdout) as { next: string; invocations: readonly { id: string }[] };
  const rest = await command.run(["inv", "ls", "--handler", "refuse", "--after", next, "--json"], { env });
  const { invocations: others } = JSON.parse(rest.stdout) as { invocations: readonly { id: string }[] };
  expect(new Set([...invocations, ...others].map(({ id }) => id)).size).toBe(invocations.length + others.length);
  expect(await script.run("invocations ls --service Nobody")).toBe(0);
  expect(await script.run("inv ls --handler refuse --status failed --limit 1")).toBe(0);
  expect(await script.run("inv ls --handler refuse --status succeeded")).toBe(0);
  expect(await script.run("inv ls --handler refuse --limit 2 --ids")).toBe(0);
  expect(await script.run("inv ls --status completed --handler refuse --status sleepy")).toBe(2);
  expect(await script.run("inv ls --status sleepy --json")).toBe(2);
  expect(await script.run("inv ls --status failed,paused")).toBe(2);
  expect(await script.run("inv ls --limit 501")).toBe(2);
  expect(await script.run("inv ls --after bogus")).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/invocations-listed.txt");
});

it("a failing invocation is listed with its attempts, its next retry and the head of its error", async () => {
  const id = await send("stall");
  await becomes(id, "backing-off");
  const { stdout, code } = await command.run(["inv", "ls", "--handler", "stall"], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ID +TARGET +STATUS +AGE +ATTEMPTS +NEXT RETRY +ERROR\n/);
  expect(stdout).toMatch(new RegExp(`${id}  Worker/stall +\\S+ +\\d+s +\\d+  (in \\d+\\w)? +RT0007 never\n$`));
  await command.run(["inv", "kill", id, "--yes"], { env });
});

it("a cancellation without confirmation changes nothing; a confirmed one ends the invocation", async () => {
  script = scribe(command, env);
  const id = await sleeping();
  expect(await script.run(`invocations cancel ${id}`)).toBe(4);
  expect(await statusOf(id)).toBe("suspended");
  const typed = { after: "Cancel this invocation?", keys: "yes\r" };
  expect(await script.run(`invocations cancel ${id}`, { typed })).toBe(0);
  await becomes(id, "completed");
  expect(await script.run(`invocations cancel ${id} --yes`)).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/cancel.txt");
});

it("a command with an unknown id changes none of the named invocations", async () => {
  script = scribe(command, env);
  const id = await sleeping();
  const nobody = `${id.slice(0, -4)}0000`;
  expect(await script.run(`invocations cancel ${id} ${nobody} --yes`)).toBe(1);
  expect(await script.run(`invocations kill ${nobody} --yes --json`)).toBe(1);
  expect(await script.run("invocations cancel bogus --yes")).toBe(1);
  expect(await statusOf(id)).toBe("suspended");
  await expect(script.text).toMatchFileSnapshot("transcripts/unknown-invocation.txt");
});

it("several invocations are killed at once, and each refusal is printed", async () => {
  script = scribe(command, env);
  const [first, second] = [await sleeping(), await sleeping()];
  expect(await script.run(`invocations kill ${first} --yes`)).toBe(0);
  await becomes(first, "completed");
  expect(await script.run(`invocations kill ${first} ${second} --yes`)).toBe(1);
  await becomes(second, "completed");
  expect(await script.run(`invocations kill ${first} ${second} --yes --json`)).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/kill.txt");
});

it("the values of a journal are shown on request", async () => {
  script = scribe(command, env);
  const id = await sleeping();
  expect(await script.run(`inv get ${id} --values`)).toBe(0);
  const { stdout } = await command.run(["inv", "get", id, "--values", "--json"], { env });
  const { entries } = JSON.parse(stdout) as { entries: readonly { type: string; value?: object }[] };
  expect(entries.find(({ type }) => type === "Notification: Run")?.value).toEqual({ size: 7, text: '"ready"' });
  await expect(script.text).toMatchFileSnapshot("transcripts/invocation-values.txt");
});

it("a pause of a suspended invocation is accepted at once, and takes effect a moment later", async () => {
  script = scribe(command, env);
  const id = await sleeping();
  expect(await script.run(`invocations pause ${id} --yes`)).toBe(0);
  await becomes(id, "paused");
  expect(await script.run(`invocations pause ${id} --yes --json`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/pause-suspended.txt");
});

it("a pause of a completed invocation is refused, and a dry run changes nothing", async () => {
  script = scribe(command, env);
  const id = await send("refuse");
  await becomes(id, "completed");
  expect(await script.run(`invocations pause ${id} --yes`)).toBe(1);
  const sleeper = await sleeping();
  expect(await script.run(`invocations kill ${sleeper} --dry-run`)).toBe(0);
  expect(await script.run(`invocations kill ${sleeper} --dry-run --json`)).toBe(0);
  expect(await statusOf(sleeper)).toBe("suspended");
  await expect(script.text).toMatchFileSnapshot("transcripts/pause-and-dry-run.txt");
});

it("an invocation is paused, resumed, restarted, and purged", async () => {
  // A retry may be running when a command prints the invocation. The transcript shows `backing-off` in both cases.
  script = scribe(command, env, [["Worker/fail  running", "Worker/fail  backing-off"]]);
  const failing = await send("fail");
  await becomes(failing, "backing-off");
  expect(await script.run(`invocations pause ${failing}`)).toBe(4);
  expect(await script.run(`invocations pause ${failing} --yes`)).toBe(0);
  await becomes(failing, "paused");
  expect(await script.run(`invocations purge ${failing} --yes`)).toBe(1);
  healed = true;
  expect(await script.run(`invocations resume ${failing} --yes`)).toBe(0);
  await becomes(failing, "completed");
  expect(await script.run(`invocations restart ${failing} --yes`)).toBe(0);
  expect(await script.run(`invocations restart ${failing} --from 7 --yes`)).toBe(1);
  expect(await script.run(`invocations purge ${failing} --yes`)).toBe(0);
  expect(await script.run(`invocations describe ${failing}`)).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/paused-and-purged.txt");
});
