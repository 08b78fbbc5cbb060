/** The command that goes on where a list has stopped: it has all filters, works when it is pasted, and hides passwords. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { wordsFrom } from "../../../functions/cli/http/next-command.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

let command: BuiltCommand;
let server: ScriptedServer;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
});
afterAll(async () => {
  await Promise.all([command.remove(), server.close()]);
});

const ARGS = ["inv", "ls", "--status", "paused", "running", "--key", "it's a key", "--limit", "1"];

/** Answers with one invocation a page, three pages in all. */
function answerPages(): void {
  server.answer(({ path }) => {
    const at = Number(new URL(path, server.url).searchParams.get("after") ?? 0);
    const one = { id: `inv_${at}`, target: "Ops/sleep", status: "paused", created_at: "2030-01-01T00:00:00Z" };
    return { status: 200, body: JSON.stringify({ invocations: [one], ...(at < 2 && { next: String(at + 1) }) }) };
  });
}

it("the printed command reads the next page with the same filters, until none is left", async () => {
  answerPages();
  const seen: string[] = [];
  let { stdout, stderr } = await command.run([...ARGS, "--ids"], { env: server.env });
  for (;;) {
    seen.push(stdout.trim());
    const query = new URL(server.requests.at(-1)!.path, server.url).searchParams;
    expect([query.getAll("status"), query.get("key"), query.get("limit")]).toEqual([
      ["paused", "running"],
      "it's a key",
      "1",
    ]);
    const printed = /^More invocations may follow: (.*)\n$/.exec(stderr)?.[1];
    if (printed === undefined) break;
    const env = { ...process.env, ...server.env };
    ({ stdout, stderr } = await promisify(execFile)("sh", ["-c", printed], { env }));
  }
  expect([seen, stderr]).toEqual([["inv_0", "inv_1", "inv_2"], ""]);
});

it("an empty page without a continuation is a sure none, and one with a continuation is none so far", async () => {
  server.answer(() => ({ status: 200, body: '{"invocations":[]}' }));
  const sure = await command.run(["inv", "ls", "--status", "open"], { env: server.env });
  expect([sure.stdout, sure.stderr]).toEqual(["No invocation matches.\n", ""]);
});

it("an earlier position is replaced, in both ways of writing it", () => {
  expect(wordsFrom(["inv", "ls", "--after", "p1", "--service", "S"], "p2")).toEqual([
    "inv",
    "ls",
    "--service",
    "S",
    "--after",
    "p2",
  ]);
  expect(wordsFrom(["inv", "ls", "--after=p1"], "p2")).toEqual(["inv", "ls", "--after", "p2"]);
});

it("a password in the address of the server is not printed", async () => {
  answerPages();
  const url = server.url.replace("://", "://me:canary-4711@");
  for (const address of [["--admin-url", url], [`--admin-url=${url}`]]) {
    const { stderr } = await command.run([...ARGS, ...address], { env: server.env });
    expect(stderr).toContain("://***@127.0.0.1");
    expect(stderr).not.toContain("canary");
  }
});
