/** Changes by filters: answers that leave ids out, and filters that match more invocations than one command changes. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

let command: BuiltCommand;
let server: ScriptedServer;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
});

afterAll(async () => {
  await command.remove();
  await server.close();
});

const idOf = (n: number): string => `inv_${String(n).padStart(34, "0")}`;

function page(count: number, from = 0): readonly object[] {
  return Array.from({ length: count }, (_, n) => ({
    id: idOf(from + n),
    target: "Ops/sleep",
    status: "completed",
    outcome: "failed",
    created_at: "2030-01-01T00:00:00Z",
  }));
}

const run = (line: string) => command.run(line.split(" "), { env: server.env });

it.each(["{}", "", '{"succeeded":[],"failed":[]}', `{"succeeded":["${idOf(77)}"],"failed":[]}`])(
  "the command reports each id that the answer %j leaves out as unanswered, and fails",
  async (answer) => {
    server.answer(({ method }) => ({
      status: 200,
      body: method === "GET" ? JSON.stringify({ invocations: page(2) }) : answer,
    }));
    const { stdout, stderr, code } = await run("inv kill --service Ops --yes");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nNo answer for 2 of 2\n$/);
    expect(stderr).toBe(
      "error: The server did not answer for 2 of 2\n  fix    Run the command again: it changes what still matches.\n",
    );
    const told = await run("inv kill --service Ops --yes --json");
    expect(told.code).toBe(1);
    expect((JSON.parse(told.stdout) as { invocations: object }).invocations).toEqual([
      { id: idOf(0), outcome: "unanswered" },
      { id: idOf(1), outcome: "unanswered" },
    ]);
  },
);

it("a refusal and a missing answer are both in the error, and the following batches are still changed", async () => {
  const batches: number[] = [];
  server.answer(({ method, body }) => {
    if (method === "GET") return { status: 200, body: JSON.stringify({ invocations: page(150) }) };
    const { invocation_ids: ids } = JSON.parse(body) as { invocation_ids: readonly string[] };
    batches.push(ids.length);
    const failed = [{ invocation_id: ids[0], error: "no" }];
    return { status: 200, body: JSON.stringify({ succeeded: ids.slice(2), failed }) };
  });
  const { stdout, stderr, code } = await run("inv kill --service Ops --yes");
  expect([code, batches]).toEqual([1, [100, 50]]);
  expect(stdout).toMatch(/\nKilled 146 of 150\nRefused 2 of 150\nNo answer for 2 of 150\n$/);
  expect(stderr).toMatch(/^error: The server refused 2 and did not answer for 2 of 150\n/);
});

it.each([
  ["leaves an id out", { status: 200, body: JSON.stringify({ succeeded: [idOf(0)], failed: [] }) }, 1],
  ["fails", { status: 503, body: JSON.stringify({ message: "the store is away" }) }, 2],
])(
  "after a restart whose answer %s, the command names each id without an answer, and warns that the filters still match all",
  async (_, answer, n) => {
    server.answer(({ method }) =>
      method === "GET" ? { status: 200, body: JSON.stringify({ invocations: page(2) }) } : answer,
    );
    const { stdout, stderr, code } = await run("inv restart --service Ops --yes");
    expect(code).toBe(1);
    expect(stdout).toContain(`No answer for ${idOf(1)}\n`);
    expect(stdout).toMatch(new RegExp(`\nNo answer for ${n} of 2\n$`));
    expect(stderr).toContain("Restart the others by their ids, because filters still match all.\n");
    expect(stderr).toContain("SELECT restarted_from FROM sys_invocation");
  },
);

it.each([[""], [" --json"]])(
  "a restart changes nothing if more invocations match than one command takes%s",
  async (json) => {
    let pages = 0;
    server.answer(() => {
      pages += 1;
      return { status: 200, body: JSON.stringify({ invocations: page(500, pages * 500), next: `p${pages}` }) };
    });
    const { stdout, stderr, code } = await run(`inv restart --service Ops --yes${json}`);
    expect([stdout, code]).toEqual(["", 2]);
    expect(stderr).toContain("Nothing was changed: more than these 10000 invocations may match");
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
  },
);
