/** Tests filters in commands that change invocations: a filter takes one value, and a command with ids and filters is refused. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

const CHANGES = ["cancel", "kill", "pause", "resume", "purge", "restart"];

let command: BuiltCommand;
let server: ScriptedServer;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
});

beforeEach(() => server.answer(() => ({ status: 200, body: JSON.stringify({ invocations: [] }) })));

afterAll(async () => {
  await command.remove();
  await server.close();
});

const run = (line: string) => command.run(line.split(" "), { env: server.env });

it.each([
  ...CHANGES.flatMap((change) => [
    `inv ${change} --service Ops inv_1 --yes`,
    `inv ${change} inv_1 --service Ops --yes`,
  ]),
  "inv kill --handler a inv_1 --yes",
  "inv kill --key a inv_1 --yes",
  "inv kill --status paused inv_1 --yes",
  "inv kill --deployment dp_1 inv_1 --yes",
  "inv resume --pinned-to dp_1 inv_1 --yes",
  "inv kill --older-than 1h inv_1 --yes",
  "inv kill --created-before 1h inv_1 --yes",
  "inv kill --handler a b --yes",
])("%s changes nothing, because ids and filters exclude each other", async (line) => {
  const { stdout, stderr, code } = await run(line);
  expect([stdout, code, server.requests]).toEqual(["", 2, []]);
  expect(stderr).toMatch(/^error: Ids and filters exclude each other\n/);
  expect(stderr).toContain("each filter takes one value, and may be repeated");
});

it.each(["--service", "--handler", "--key", "--status", "--deployment"])(
  "a command that changes invocations refuses an id as a value of %s",
  async (filter) => {
    const { stdout, stderr, code } = await run(`inv kill ${filter} inv_1 --yes`);
    expect([stdout, code, server.requests]).toEqual(["", 2, []]);
    expect(stderr).toContain("argument 'inv_1' is invalid. It looks like the id of an invocation");
  },
);

it("a repeated filter selects each of its values", async () => {
  const { code } = await run("inv kill --service A --service B --status paused,ready --status suspended --dry-run");
  const query = new URL(server.requests[0]!.path, server.url).searchParams;
  expect([code, query.getAll("service")]).toEqual([0, ["A", "B"]]);
  expect(query.getAll("status")).toEqual(["paused", "ready", "suspended"]);
});

it("a filter of the list takes several words, or is repeated", async () => {
  expect((await run("inv ls --service A B --service C --key inv_1 --status paused ready")).code).toBe(0);
  const query = new URL(server.requests[0]!.path, server.url).searchParams;
  expect([query.getAll("service"), query.getAll("key")]).toEqual([["A", "B", "C"], ["inv_1"]]);
  expect(query.getAll("status")).toEqual(["paused", "ready"]);
});

it("--older-than asks the server for an age, which counts by the clock of the server", async () => {
  const { code } = await run("inv kill --older-than 99999d --dry-run --json");
  const query = new URL(server.requests[0]!.path, server.url).searchParams;
  expect([code, query.getAll("created_before"), query.get("status")]).toEqual([0, ["99999d"], "open"]);
  expect((await run("inv kill --older-than 1w --dry-run")).stderr).toContain("30s, 15m, 2h or 7d");
});

it("--created-before takes a moment or an age, in lists and in changes of all that match", async () => {
  const asked = () => new URL(server.requests.at(-1)!.path, server.url).searchParams.getAll("created_before");
  expect((await run("inv ls --created-before 2026-11-24T13:00:00Z --service A")).code).toBe(0);
  expect(asked()).toEqual(["2026-11-24T13:00:00Z"]);
  expect((await run("inv kill --created-before 15m --older-than 1h --dry-run")).code).toBe(0);
  expect(asked()).toEqual(["15m", "1h"]);
  const { stderr, code } = await run("inv kill --created-before soon --yes");
  expect([code, stderr]).toEqual([2, expect.stringContaining("Write a moment such as")]);
});

it("an argument after `--remove <name>` is a value to set, and not another name to remove", async () => {
  const script = { state: { a: { bytes: [49] }, "c=3": { bytes: [50] } }, version: "1" };
  server.answer(({ method }) => ({ status: 200, body: method === "GET" ? JSON.stringify(script) : "" }));
  expect((await run("state set Counter ada --remove a --remove d b=1 c=2 --yes")).code).toBe(0);
  const [{ body } = { body: "" }] = server.requests.filter(({ method }) => method === "POST");
  const { new_state: after } = JSON.parse(body) as { new_state: object };
  expect(Object.keys(after).toSorted()).toEqual(["b", "c", "c=3"]);
});
