/** Runs SQL statements of the reference server's documentation, command line and web UI over the tables of an engine. */
import { beforeEach, describe, expect, test } from "vitest";
import { ALWAYS_NULL } from "../../docs/sql-columns.ts";
import { callOn, sendOn } from "../../harness/engine/engine-fixture.ts";
import { addCount, callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
type Rows = readonly Record<string, unknown>[];

/**
 * Two completed calls and the completed child of one of them, one failing invocation, and one that sleeps; a key with a
 * value, a holder and one invocation in its queue.
 */
async function world() {
  const stage = await open(
    {
      greet: () => "hello",
      calls: async (ctx) => await ctx.get(ctx.call("greet")),
      fails: () => {
        throw new Error("never well");
      },
      naps: async (ctx) => {
        await ctx.get(ctx.sleep(4_000_000_000_000));
        return "slept";
      },
      add: addCount,
      holds: () => new Promise(() => {}),
    },
    { services: [objectOf(["add", "holds"])], retry: { initialIntervalMs: 3_600_000, maxIntervalMs: 3_600_000 } },
  );
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "7")));
  const { invocationId: caller } = await stage.pulse.within(1_000, callOn(actor, "calls"));
  const { invocationId: failing } = await stage.pulse.within(1_000, sendOn(actor, "fails"));
  const { invocationId: napping } = await stage.pulse.within(1_000, sendOn(actor, "naps"));
  const hold = keyed("O", "k", "holds");
  const { invocationId: holder } = await stage.pulse.within(1_000, sendKeyed(actor, hold));
  await stage.pulse.settle();
  const { invocationId: waiting } = await stage.pulse.within(1_000, sendKeyed(actor, hold));
  await stage.pulse.settle();
  const [row] = await rowsOf(actor, `select pinned_deployment_id as d from sys_invocation where id = '${caller}'`);
  return { actor, ids: { caller, failing, napping, holder, waiting, deployment: String(row!["d"]) } };
}

type World = Awaited<ReturnType<typeof world>>;
let given: World;
beforeEach(async () => {
  given = await world();
});

/** @param statement `$caller` and similar words are replaced by ids */
async function ask(statement: string): Promise<Rows> {
  const ids: Readonly<Record<string, string>> = given.ids;
  return await rowsOf(
    given.actor,
    statement.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name]!),
  );
}

type Row = readonly [statement: string, expected: (rows: Rows) => void];
const count = (n: number) => (rows: Rows) => expect(rows).toHaveLength(n);
const equal =
  (...expected: Rows) =>
  (rows: Rows) =>
    expect(rows).toEqual(expected);
/** Accepts any order, because rows of one moment come in the order of their random ids. */
const inAnyOrder =
  (...expected: Rows) =>
  (rows: Rows) => {
    expect(rows).toHaveLength(expected.length);
    for (const row of expected) expect(rows).toContainEqual(expect.objectContaining(row));
  };
const like =
  (...expected: Rows) =>
  (rows: Rows) =>
    expect(rows).toMatchObject(expected);

const PAGES: readonly Row[] = [
  ["select * from sys_invocation;", count(7)],
  ["select * from sys_invocation where id = '$caller';", like({ target: "S/calls", status: "completed" })],
  ["select * from sys_journal where id = '$caller';", count(5)],
  ["select * from sys_invocation where retry_count > 1;", count(0)],
  ["select target from sys_invocation where retry_count >= 1 and status = 'backing-off'", equal({ target: "S/fails" })],
  [
    "select invocation_id from sys_keyed_service_status where service_name = 'O' and service_key = 'k';",
    (rows) => expect(rows).toEqual([{ invocation_id: given.ids.holder }]),
  ],
  ["select modified_at from sys_invocation where id = '$napping';", like({ modified_at: expect.any(Number) })],
  [
    "select invoked_by, invoked_by_service_name, invoked_by_id from sys_invocation where id = '$caller';",
    equal({ invoked_by: "ingress" }),
  ],
  [
    "select invoked_by, invoked_by_service_name from sys_invocation where invoked_by_id = '$caller';",
    equal({ invoked_by: "service", invoked_by_service_name: "S" }),
  ],
  ["select trace_id from sys_invocation where id = '$caller';", count(1)],
  ["select * from sys_invocation where to_timestamp(modified_at) <= now() - interval '1' hour;", count(0)],
  [
    "select * from sys_invocation where pinned_deployment_id = '$deployment';",
    (rows) => expect(rows.length).toBeGreaterThan(2),
  ],
  [
    "select * from state where service_name = 'O' and service_key = 'k';",
    like({ key: "count", value_utf8: "7", value_length: 1 }),
  ],
  ["select * from state where service_name = 'O' and service_key = 'k' and key = 'other';", count(0)],
  ["select 1", equal({ "Int64(1)": 1 })],
  ["describe sys_service", (rows) => expect(rows[0]).toMatchObject({ column_name: "name", data_type: "LargeUtf8" })],
  ["show tables", (rows) => expect(rows.map((row) => row["table_name"])).toContain("sys_vqueues")],
  [
    "select table_schema, count(*) as n from information_schema.columns where table_name = 'sys_scheduler' group by table_schema",
    equal({ table_schema: "public", n: 15 }),
  ],
  ["select * from sys_scheduler", count(0)],
  ["select * from sys_vqueue_entry_status where status = 'paused'", count(0)],
];

const COMMANDS: readonly Row[] = [
  [
    "select count(1) as inv_count from sys_invocation_status where pinned_deployment_id = '$deployment' and status != 'completed'",
    like({ inv_count: expect.any(Number) }),
  ],
  [
    `select target_service_name as service, target_handler_name as handler, 'pending' as status, count(1) as num_invocations,
     min(created_at) as oldest_at, first_value(id order by created_at asc) as oldest_invocation
     from sys_invocation_status where status == 'inboxed' and target_service_name in ('O')
     group by target_service_name, target_handler_name`,
    like({ service: "O", handler: "holds", status: "pending", num_invocations: 1 }),
  ],
  [
    `select service_name, service_key, count(1) as num_pending from sys_inbox where service_name in ('O')
     group by service_name, service_key order by count(1) desc`,
    equal({ service_name: "O", service_key: "k", num_pending: 1 }),
  ],
  [
    `select inv.id from sys_invocation inv where inv.target_service_name in (select name from sys_service where ty = 'virtual_object')
     and inv.status != 'completed' order by inv.created_at desc, inv.id limit 100`,
    count(2),
  ],
  [
    `select inv.id, inv.target, inv.retry_count as num_retries, inv.last_failure as last_failure_message,
     inv.last_attempt_server, (dp.id is not null) as pinned_deployment_exists
     from sys_invocation inv left join sys_deployment dp on inv.pinned_deployment_id = dp.id
     where inv.id in ('$failing', '$napping') order by inv.created_at desc, inv.id`,
    inAnyOrder(
      { target: "S/naps", pinned_deployment_exists: true },
      { target: "S/fails", num_retries: 1, last_failure_message: expect.stringContaining("never well") },
    ),
  ],
  [
    "select count(*) as n from information_schema.columns where table_name = 'sys_journal' and column_name in ('version', 'entry_json', 'appended_at')",
    equal({ n: 3 }),
  ],
  [
    `select sj.index, sj.entry_type, sj.version, sj.entry_json, sj.appended_at from sys_journal sj where sj.id = '$caller'
     order by sj.index desc limit 100`,
    (rows) => {
      expect(rows.map((row) => row["entry_type"])).toContain("Command: Call");
      for (const row of rows) expect(row).toMatchObject({ version: 2, appended_at: expect.any(Number) });
    },
  ],
  [
    "select id, target from sys_invocation_status where target like 'O/%' and status != 'completed' limit 500",
    count(2),
  ],
  ["select key, value from state where service_name = 'O' and service_key = 'k' ;", like({ key: "count" })],
  [
    "select pattern, concurrency, description, disabled, version, last_modified from sys_rules order by pattern",
    count(0),
  ],
  [
    "select id, avg_run_duration, num_inbox, lock_name from sys_vqueue_meta where lock_name is not null limit 100",
    like({ id: expect.stringMatching(/^vq_1/), lock_name: "O/k", num_inbox: 1 }),
  ],
];

const PAGES_OF_UI: readonly Row[] = [
  [
    "SELECT id FROM sys_invocation_state WHERE in_flight IS TRUE",
    (rows) => expect(rows).toEqual([{ id: given.ids.holder }]),
  ],
  [
    `SELECT word, COUNT(*) AS n FROM (SELECT CASE WHEN s.in_flight IS TRUE THEN 'running' ELSE ss.status END AS word
     FROM sys_invocation_status ss LEFT JOIN sys_invocation_state s ON ss.id = s.id LIMIT 1000000) GROUP BY word ORDER BY word`,
    equal(
      { word: "completed", n: 3 },
      { word: "inboxed", n: 1 },
      { word: "invoked", n: 1 },
      { word: "running", n: 1 },
      { word: "suspended", n: 1 },
    ),
  ],
  [
    "SELECT index, entry_type, entry_lite_json, appended_at FROM sys_journal WHERE id = '$napping' ORDER BY index",
    (rows) => {
      expect(JSON.parse(String(rows.at(-1)!["entry_lite_json"]))).toEqual({
        Command: { Sleep: { wake_up_time: 4_000_000_000_000, completion_id: 1 } },
      });
    },
  ],
  [
    "SELECT suspended_waiting_future_json AS f, last_awaiting_on_future_json FROM sys_invocation WHERE id = '$napping'",
    like({ f: expect.stringContaining('"CompletionId":1') }),
  ],
];

describe.each([
  ["the pages", PAGES],
  ["the command line", COMMANDS],
  ["the web UI", PAGES_OF_UI],
])("statements of %s of the reference", (_, statements) => {
  test.each(statements)("%s", async (statement, check) => {
    check(await ask(statement));
  });
});

test.each(
  Object.entries(ALWAYS_NULL).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => [table, column] as const),
  ),
)("%s.%s, which the documentation calls always NULL, is NULL", async (table, column) => {
  const where = table === "state" || table === "sys_promise" ? "where service_name = 'O' and service_key = 'k'" : "";
  expect(await ask(`select ${column} from ${table} ${where}`)).not.toContainEqual({ [column]: expect.anything() });
});

describe("statements over the keys of all objects", () => {
  test.each<readonly [string, Rows]>([
    ["select service_name, service_key, key from state", [{ service_name: "O", service_key: "k", key: "count" }]],
    ["select count(*) as count from sys_promise", [{ count: 0 }]],
    ["SELECT DISTINCT service_key FROM state WHERE service_name = 'O'", [{ service_key: "k" }]],
  ])("%s", async (statement, rows) => {
    expect(await ask(statement)).toEqual(rows);
  });

  test("a join of invocations with the state of their keys", async () => {
    const rows = await ask(
      "select sys_invocation.id as id from sys_invocation JOIN state on sys_invocation.target_service_name = state.service_name and sys_invocation.target_service_key = state.service_key;",
    );
    const { holder, waiting } = given.ids;
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([holder, waiting]));
  });
});

test("a star over two tables with columns of one name is refused, and the message names the column", async () => {
  const statement =
    "select * from sys_invocation JOIN state on sys_invocation.target_service_name = state.service_name and sys_invocation.target_service_key = state.service_key;";
  await expect(ask(statement)).rejects.toThrow("two columns have the name 'scope'");
});
