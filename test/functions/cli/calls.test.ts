/** Calls from the command line: `call`, `send`, `attach` and `awakeable`, with the real command and a real server. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  TerminalError,
  handlers,
  object,
  serde,
  service,
  type Context,
  type ObjectContext,
} from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const greeter = service({
  name: "Greeter",
  handlers: {
    greet: async (_ctx: Context, name: string): Promise<object> => ({
      greeting: `Hello ${name}`,
      letters: name.length,
    }),
    nothing: async (_ctx: Context): Promise<void> => {},
    refuse: async (_ctx: Context): Promise<void> => {
      throw new TerminalError("not today", { errorCode: 418 });
    },
    approve: async (ctx: Context): Promise<unknown> => await ctx.awakeable<unknown>().promise,
    digits: handlers.handler({ output: serde.binary }, async () => Buffer.from("[12345678901234567890]")),
    bytes: handlers.handler({ output: serde.binary }, async () => Uint8Array.of(255, 255)),
    colour: handlers.handler({ output: serde.binary }, async () => Buffer.from("\u001b[31mred")),
    lies: async (_ctx: Context): Promise<void> => {
      throw new TerminalError("no\nfix    remove everything");
    },
    header: async (ctx: Context): Promise<string> => ctx.request().headers.get("x-tenant") ?? "none",
  },
});

const counter = object({
  name: "Counter",
  handlers: {
    add: async (ctx: ObjectContext, by: number): Promise<number> => {
      const count = ((await ctx.get<number>("count")) ?? 0) + by;
      ctx.set("count", count);
      return count;
    },
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  [command, stage, folder] = await Promise.all([
    buildCommand(),
    openLocalStage({ services: [greeter, counter] }),
    mkdtemp(join(tmpdir(), "stepwell-calls-")),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

async function send(...args: readonly string[]): Promise<string> {
  const { stdout } = await command.run(["send", ...args, "--json"], { env });
  return (JSON.parse(stdout) as { invocation_id: string }).invocation_id;
}

/** The id of the awakeable for which the invocation waits. */
async function awakeableOf(id: string): Promise<string> {
  let found = "";
  const look = async (): Promise<string> => {
    const { waits_for: waits } = (await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as {
      waits_for?: readonly { awakeable_id?: string }[];
    };
    return (found = waits?.find((wait) => wait.awakeable_id !== undefined)?.awakeable_id ?? "");
  };
  await expect.poll(look).not.toBe("");
  return found;
}

it("a call prints the result, with data from the option, a file or standard input", async () => {
  const script = scribe(command, env);
  await writeFile(join(folder, "name.json"), '"Grace"');
  expect(await script.run(`call Greeter/greet --data '"Ada"'`)).toBe(0);
  expect(await script.run("call Greeter/greet --data @name.json", { cwd: folder })).toBe(0);
  expect(await script.run("call Greeter/greet --data -", { stdin: '"Edsger"\n' })).toBe(0);
  expect(await script.run("call Counter/add --key 'a key/with ä' --data 2")).toBe(0);
  expect(await script.run("call Counter/add --key 'a key/with ä' --data 40 --json")).toBe(0);
  expect(await script.run("call Greeter/nothing")).toBe(0);
  expect(await script.run("call Greeter/header --header x-tenant=acme")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/call.txt");
});

it("a call that fails ends with the exit code for its kind of failure", async () => {
  const script = scribe(command, env);
  expect(await script.run("call Greeter/refuse")).toBe(5);
  expect(await script.run("call Greeter/refuse --json")).toBe(5);
  expect(await script.run("call Greeter/wave")).toBe(1);
  expect(await script.run("call Nobody/greet")).toBe(1);
  expect(await script.run("call Greeter")).toBe(2);
  expect(await script.run("call Greeter/greet --data Ada")).toBe(2);
  expect(await script.run("call Greeter/greet --data @absent.json", { cwd: folder })).toBe(2);
  expect(await script.run("call Greeter/greet --ingress-url http://127.0.0.1:1")).toBe(3);
  expect(await script.run("call Greeter/greet", { env: { STEPWELL_INGRESS_URL: stage.adminUri } })).toBe(3);
  expect(await script.run("call Greeter/greet --header 'x y=1'")).toBe(2);
  expect(await script.run("call Greeter/greet --idempotency-key 'ключ'")).toBe(2);
  await expect(script.text).toMatchFileSnapshot("transcripts/call-failed.txt");
});

it("an idempotency key makes a repeated call get the first result", async () => {
  const args = ["call", "Counter/add", "--key", "once", "--data", "5", "--idempotency-key", "order 1"];
  expect((await command.run(args, { env })).stdout).toBe("5\n");
  expect((await command.run(args, { env })).stdout).toBe("5\n");
});

it("a result keeps the digits of large integers, in JSON too, and bytes that are no text are base64", async () => {
  const args = ["call", "Greeter/digits"];
  expect((await command.run(args, { env })).stdout).toBe("[12345678901234567890]\n");
  const { stdout } = await command.run([...args, "--json"], { env });
  expect(stdout).toMatch(/^\{\n  "invocation_id": "inv_\w+",\n  "result": \[\n {4}12345678901234567890\n {2}\]\n\}\n$/);
  const bytes = JSON.parse((await command.run(["call", "Greeter/bytes", "--json"], { env })).stdout) as object;
  expect(bytes).toMatchObject({ result: { base64: "//8=" } });
});

it("a result at a terminal cannot send control characters", async () => {
  const { stdout } = await command.run(["call", "Greeter/colour"], { env, terminal: true });
  expect(stdout).toContain("\ufffd[31mred");
  expect((await command.run(["call", "Greeter/colour"], { env })).stdout).toBe("\u001b[31mred\n");
});

it("a failure message with several lines cannot look like lines that the command itself writes", async () => {
  const { stderr, code } = await command.run(["call", "Greeter/lies"], { env });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^error: no\n {9}fix {4}remove everything\n {2}cause {2}inv_/);
});

it("a send prints the id, and attach waits for the result", async () => {
  const script = scribe(command, env);
  const keyed = `send Greeter/greet --data '"Ada"' --idempotency-key welcome`;
  expect(await script.run(keyed)).toBe(0);
  expect(await script.run(keyed)).toBe(0);
  expect(await script.run(`send Greeter/greet --data '"Ada"' --delay 1h`)).toBe(0);
  expect(await script.run(`send Greeter/greet --data '"Ada"' --delay soon`)).toBe(1);
  expect(await script.run(`attach ${await send("Greeter/greet", "--data", '"Ada"')}`)).toBe(0);
  const refused = await send("Greeter/refuse");
  expect(await script.run(`attach ${refused}`)).toBe(5);
  expect(await script.run(`attach ${refused.slice(0, -4)}0000`)).toBe(1);
  expect(await script.run("attach bogus")).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/send-and-attach.txt");
});

it("an interrupted attach leaves the invocation going", async () => {
  const id = await send("Greeter/approve");
  const awakeable = await awakeableOf(id);
  const typed = { after: "Waiting for the result", keys: "\u0003" };
  const { stdout, code } = await command.run(["attach", id], { env, typed });
  expect(code).toBe(130);
  expect(stdout).toContain("Interrupted before the result arrived");
  expect(stdout).toContain(`stepwell attach ${id}`);
  expect(await command.run(["awakeable", "resolve", awakeable, "--data", "true"], { env })).toMatchObject({ code: 0 });
  expect(await command.run(["attach", id], { env })).toEqual({ code: 0, stdout: "true\n", stderr: "" });
});

it("an awakeable is resolved with a value or rejected with a reason", async () => {
  const [first, second] = [await send("Greeter/approve"), await send("Greeter/approve")];
  const [resolved, rejected] = [await awakeableOf(first), await awakeableOf(second)];
  const script = scribe(command, env, [
    [resolved, "sign_1…"],
    [rejected, "sign_2…"],
  ]);
  expect(await script.run(`awakeable resolve ${resolved} --data '{"by":"Ada"}'`)).toBe(0);
  expect(await script.run(`attach ${first}`)).toBe(0);
  expect(await script.run(`awakeable reject ${rejected} --reason 'not approved'`)).toBe(0);
  expect(await script.run(`attach ${second}`)).toBe(5);
  expect(await script.run(`awakeable reject ${rejected}`)).toBe(2);
  expect(await script.run("awakeable resolve bogus --json")).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/awakeable.txt");
});

it.each(["call", "send"])("%s with the input as a second argument says which option takes it", async (name) => {
  const { code, stderr } = await command.run([name, "Counter/add", "5", "--key", "k"], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--data takes the input: --data <json>")]);
  const json = await command.run([name, "Counter/add", "5", "--json"], { env });
  expect(JSON.parse(json.stderr || json.stdout)).toMatchObject({ error: { fix: expect.stringContaining("--data") } });
});
