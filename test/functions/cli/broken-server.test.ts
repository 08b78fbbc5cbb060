/** Commands against a server that fails in the middle of its work, or gives answers that no Stepwell server gives. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

let command: BuiltCommand;
let server: ScriptedServer;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
  ({ env } = server);
});

afterAll(async () => {
  await command.remove();
  await server.close();
});

const idOf = (n: number): string => `inv_${String(n).padStart(34, "0")}`;

function summaries(count: number, from = 0): readonly object[] {
  return Array.from({ length: count }, (_, n) => ({
    id: idOf(from + n),
    target: "Ops/sleep",
    status: "paused",
    created_at: "2030-01-01T00:00:00Z",
  }));
}

it("a change of many invocations reports what the server answered before the server failed", async () => {
  const ids = summaries(150).map((_, n) => idOf(n));
  let batches = 0;
  server.answer(({ method }) => {
    if (method === "GET") return { status: 200, body: JSON.stringify({ invocations: summaries(150) }) };
    batches += 1;
    const failed = [{ invocation_id: idOf(0), error: "already\ncompleted" }];
    if (batches > 1) return { status: 503, body: JSON.stringify({ message: "the store is away" }) };
    return { status: 200, body: JSON.stringify({ succeeded: ids.slice(1, 100), failed, noted: [idOf(1)] }) };
  });
  const { stdout, stderr, code } = await command.run(["inv", "kill", "--service", "Ops", "--yes"], { env });
  expect(code).toBe(1);
  expect(stdout).toContain("… and 130 more\n\n150 matching: 150 paused\n\n");
  expect(stdout.split("\n").slice(-6)).toEqual([
    `Refused    ${idOf(0)}: already completed`,
    "Killed 98 of 150",
    "Killing 1 of 150",
    "Refused 1 of 150",
    "No answer for 50 of 150",
    "",
  ]);
  expect(stderr).toMatch(/^error: the store is away\n/);

  batches = 0;
  const told = await command.run(["inv", "kill", "--service", "Ops", "--yes", "--json"], { env });
  const { invocations } = JSON.parse(told.stdout) as { invocations: readonly { id: string; outcome: string }[] };
  expect(told.code).toBe(1);
  expect(invocations.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(invocations.filter(({ outcome }) => outcome === "unanswered")).toHaveLength(50);
});

it("a change of all invocations that match stops at ten thousand of them, and says how to go on", async () => {
  let pages = 0;
  server.answer(({ method, path, body }) => {
    if (method === "POST") {
      const { invocation_ids: succeeded } = JSON.parse(body) as { invocation_ids: readonly string[] };
      return { status: 200, body: JSON.stringify({ succeeded, failed: [] }) };
    }
    pages += 1;
    const invocations = path.includes("created_before=999999d") ? [] : summaries(500, pages * 499);
    return { status: 200, body: JSON.stringify({ invocations, next: `p${pages}` }) };
  });
  const args = ["inv", "kill", "--service", "Ops"];
  const dry = await command.run([...args, "--dry-run", "--json"], { env });
  const { matched, may_have_more, dry_run } = JSON.parse(dry.stdout) as Readonly<Record<string, unknown>>;
  expect([dry.code, matched, may_have_more, dry_run, pages]).toEqual([0, 10_000, true, true, 21]);
  const { stdout, stderr, code } = await command.run([...args, "--yes"], { env });
  expect(stdout).toContain("At least 10000 matching: 10000 paused");
  const rest = (words: string): string =>
    `Not all were read, and more may match. The rest: node ${command.path} ${words}\n`;
  expect([code, stderr]).toEqual([0, rest(`${args.join(" ")} --yes --after p${pages}`)]);
  expect(dry.stdout).toContain('"next": "p21"');
  pages = 0;
  const old = await command.run([...args, "--dry-run", "--older-than", "999999d"], { env });
  expect([old.code, old.stdout, pages]).toEqual([0, "No invocation matches among those read so far.\n", 1000]);
  expect(old.stderr).toBe(rest(`${args.join(" ")} --dry-run --older-than 999999d --after p1000`));
});

it("a change goes on where an earlier one has stopped, and a position needs the filters", async () => {
  server.answer(({ method }) =>
    method === "POST"
      ? { status: 200, body: JSON.stringify({ succeeded: [idOf(0)], failed: [] }) }
      : { status: 200, body: JSON.stringify({ invocations: summaries(1) }) },
  );
  const args = ["inv", "kill", "--service", "Ops", "--yes", "--after", "p7"];
  const { stdout, stderr, code } = await command.run(args, { env });
  expect([code, stdout.trimEnd().split("\n").at(-1), stderr]).toEqual([0, "Killed 1 of 1", ""]);
  expect(new URL(server.requests[0]!.path, server.url).searchParams.get("after")).toBe("p7");
  const alone = await command.run(["inv", "kill", "--after", "p7", "--yes"], { env });
  expect([alone.code, alone.stdout]).toEqual([2, ""]);
  expect(alone.stderr).toContain("--after goes on with filters");
});

it("a change by filters without a terminal and without --yes asks the server nothing", async () => {
  server.answer(() => ({ status: 200, body: "{}" }));
  const { stdout, code } = await command.run(["inv", "kill", "--service", "Ops"], { env });
  expect([stdout, code, server.requests]).toEqual(["", 4, []]);
});

it("a change of several ids reports the ids that the server did not answer for", async () => {
  server.answer(({ method, path }) => {
    if (method === "GET") return { status: 200, body: JSON.stringify(summaries(3)[Number(path.at(-1))]) };
    return path.includes(idOf(0)) ? { status: 200, body: "" } : { status: 200, body: "<html>" };
  });
  const { stdout, stderr, code } = await command.run(["inv", "kill", idOf(0), idOf(1), idOf(2), "--yes"], { env });
  expect(code).toBe(3);
  expect(stdout.split("\n").slice(-4)).toEqual([
    `Killed ${idOf(0)}`,
    `No answer for ${idOf(1)}`,
    `No answer for ${idOf(2)}`,
    "",
  ]);
  expect(stderr).toContain("is not an admin API");
});

it.each([
  [["sql", "select 1"], "The answer of the server has no rows"],
  [["sql", "select 1", "--json"], "The answer of the server has no rows"],
  [["send", "Greeter/greet"], "The server accepted the request without an invocation id"],
  [["inv", "ls"], "is not an admin API"],
])("%j says that another kind of server answers", async (args, message) => {
  server.answer(() => ({ status: 200, body: "<html>hello</html>" }));
  const { stdout, stderr, code } = await command.run(args, { env });
  expect([stdout, code]).toEqual(["", 3]);
  expect(stderr).toContain(message);
});

it("a table of rows is bounded, and keeps each row on its line", async () => {
  const rows = [{ text: `a\nb\u001b[2J${"x".repeat(500)}` }, ...Array.from({ length: 1004 }, () => ({ text: "x" }))];
  server.answer(() => ({ status: 200, body: JSON.stringify({ rows }) }));
  const { stdout, stderr, code } = await command.run(["sql", "select text from t"], { env });
  const [, first, ...others] = stdout.trimEnd().split("\n");
  expect([code, first!.length, others.length]).toEqual([0, 200, 999]);
  expect(first).toMatch(/^a␊b\ufffd\[2Jx+…$/);
  expect(stderr).toBe("5 more rows: --csv or --json shows all, and LIMIT selects some.\n");
});

it("the texts of a described invocation stay on their lines", async () => {
  const body = {
    ...summaries(1)[0],
    target: "Ops/sleep\nStatus  completed",
    target_service_key: "a\u001b[31m\nb",
    modified_at: "2030-01-01T00:00:01Z",
    restarted_from: idOf(7),
    pinned_deployment_id: "dp_1",
    pinned_service_protocol_version: 6,
    deployment: { id: "dp_2" },
    attempts: 3,
    last_failure: { error_code: "RT0007", message: "broken", at: "2030-01-01T00:00:01Z", stacktrace: "at x\nat y" },
    entries: [{ index: 0, type: "Command: Input", name: "n\nm", at: "2030-01-01T00:00:00Z" }],
    events: [],
  };
  server.answer(() => ({ status: 200, body: JSON.stringify(body) }));
  const { stdout } = await command.run(["inv", "describe", idOf(0)], { env });
  expect(stdout).toBe(`Invocation       ${idOf(0)}
Target           Ops/sleep Status  completed
Key              a\ufffd[31m b
Status           paused
Created          2030-01-01 00:00:00 UTC
Modified         2030-01-01 00:00:01 UTC
Restarted from   ${idOf(7)}
Deployment       dp_2, which is gone
Last deployment  dp_1
Protocol         version 6
Attempts         3 in all; a replay after a wait counts as one
Last failure     RT0007 broken, at 2030-01-01 00:00:01 UTC

ENTRY  AT                       TYPE            NAME
0      2030-01-01 00:00:00 UTC  Command: Input  n m

Stack trace:
  at x
  at y
`);
});
