/** Writes docs/sql.md from the shapes of the tables, their sentences, and the limits of statements. */
import { SQL_LIMITS } from "../../shared/adapters/sql/limits.ts";
import type { SETTINGS } from "../../shared/config/settings-table.ts";
import { FLOW_CONTROL_TABLES, TABLE_SHAPES } from "../../shared/core/query/table-shapes.ts";
import { dataTypeOf, type TableShape } from "../../shared/core/query/table-shape.ts";
import { KEPT_MAX } from "../../shared/adapters/statements/table-feed.ts";
import { RESULT_MAX_BYTES } from "../../functions/lambda/gateway-event.ts";
import { STATEMENT_LIMITS } from "../../shared/engine/query/listing-budget.ts";
import { ALWAYS_NULL, SENTENCES, SHARED_SENTENCES } from "./sql-columns.ts";

const OPENING = `# SQL

Every table and column that statements can read. This page is written by \`npm run docs\` from \`shared/core/query\` and
\`test/docs/sql-columns.ts\`.

\`stepwell sql "<statement>"\` and \`POST /query\` of the admin API run one SELECT:

\`\`\`
stepwell sql "select id, target, waits_for from sys_invocation where status = 'suspended'"
curl -H "authorization: Bearer $(cat .stepwell/admin-token)" localhost:9070/query --json '{"query": "select id, target from sys_invocation limit 10"}'
\`\`\`

The answer is JSON if \`accept\` is \`application/json\` alone, else a stream of Arrow. JSON omits columns that are NULL. Names and types are those of
the reference server, 1.7.12, and so are the words of the dialect that its pages use (ADR 0038). \`SHOW TABLES\`, \`DESCRIBE <table>\` and
\`information_schema\` list the tables. A column has the true value or NULL, and never an invented one.
`;

/** The content of each table, and the conditions of a WHERE that make its reads few. */
const TABLES: Readonly<Record<string, readonly [what: string, cheap: string]>> = {
  sys_invocation: [
    "Every invocation that is open, or whose result is kept.",
    "`id =` or `id IN (...)` loads these invocations alone. `status != 'completed'` reads no ended ones. `status IN ('pending', 'backing-off', 'suspended', 'paused')` reads the index of what is parked alone. `created_at` reads the days between two moments, and `ORDER BY created_at DESC LIMIT n` the newest alone. `target_service_name`, `target_service_key`, `target_handler_name`, `target`, `status` and `pinned_deployment_id` are compared in the index. `outcome` reads no open ones. `id`, `status`, `target...` and `created_at` come from the index. Any other column loads each invocation of the result, mostly for one read unit, and `waits_for` of a pending one and `inboxed_at` cost a read more.",
  ],
  sys_invocation_status: ["As `sys_invocation`, with the words of the stored status.", "As `sys_invocation`."],
  sys_invocation_state: ["Invocations that run or back off.", "As `sys_invocation`."],
  sys_journal: ["The entries of journals.", "`id`: without it, the journals of all invocations are read."],
  sys_journal_events: [
    "Failures and pauses, one row for each; failures that repeat the one before share its row.",
    "`id`, as for `sys_journal`.",
  ],
  sys_deployment: ["Registered deployments.", "In memory."],
  sys_service: ["The current revision of each service.", "In memory."],
  state: [
    "The values of objects and workflows.",
    "`service_name` and `service_key`, each with `=` or `IN (...)`. No index lists the keys: with `service_name` alone, or without it, a statement walks over the partitions of objects, in the local process over those of the service alone, on AWS over the table, at most 1,000 MB of it. `service_key` and `lock_name` of keys above 1,500 bytes are known only if the statement names the key.",
  ],
  sys_inbox: [
    "Invocations that wait for their key.",
    "`service_name` and `service_key` read one queue; else the index of what is parked is read, and `sequence_number` costs a read for each row.",
  ],
  sys_keyed_service_status: [
    "The holder of each key.",
    "`service_name` and `service_key` read one lock; else all open invocations are read, and the lock of each one that is ready or paused.",
  ],
  sys_promise: ["Completed promises of workflows.", "As `state`."],
  sys_locks: [
    "The holder of each key, as a lock.",
    "`lock_name`; else as `sys_keyed_service_status`, and `acquired_at` costs a read for each row.",
  ],
  sys_rules: ["The rules of flow control.", "In memory."],
  sys_schedules: ["Schedules.", "One query."],
  sys_schedule_runs: ["Open and last runs of schedules.", "One query."],
  sys_user_limits: [
    "The pools of rules in which an invocation holds a place or waits, at most 1,000.",
    "Some reads for each pool that was used in the last weeks.",
  ],
  sys_vqueue_meta: [
    "The open invocations, counted by service, scope, limit key and lock.",
    "The index of open invocations, and a load of each one in a scope.",
  ],
  "information_schema.columns": ["The columns of all tables.", "In memory."],
  "information_schema.tables": ["All tables.", "In memory."],
};

const DIFFERENCES = `## What differs from the reference

- \`state\` and \`sys_promise\` of keys above 1,500 bytes have no \`service_key\`, unless the statement names the key.
- \`sys_keyed_service_status\` and \`sys_locks\` list the run of a workflow, which holds its id here.
- \`sys_journal\` fills \`completed\`, \`invoked_id\`, \`invoked_target\`, \`sleep_wakeup_at\` and \`promise_name\`, which the reference server leaves NULL for these
  entries.
- \`last_action\`, \`last_action_at\`, \`last_action_by\`, \`created_by\`, \`outcome\`, \`waits_for\`, \`pause_reason\`, \`paused_at\` and \`paused_by\` are Stepwell's own, and so are
  \`health\`, \`health_since\`, \`health_reason\` and \`last_contact_at\` of \`sys_deployment\`,
  \`rate\` and \`burst\` of \`sys_rules\`, and \`pool\` and \`oldest_waiting_since\` of \`sys_user_limits\`.
- \`sys_user_limits\` counts the invocations that wait; the reference server counts their queues.
- \`sys_inbox\` and \`sys_keyed_service_status\` have the column \`scope\`. On AWS, a statement that names a service and a key but says nothing about
  \`scope\` shows the key without a scope; \`scope = '…'\` or \`scope IN (…)\` shows the key in scopes.
- \`sum\` of an unsigned column is signed.
- What the dialect lacks stands in ADR 0038.
`;

export function sqlPage(): string {
  const empty = new Set(FLOW_CONTROL_TABLES);
  const full = TABLE_SHAPES.filter((shape) => !empty.has(shape));
  return [OPENING, limits(), ...full.map(section), flowControl(), DIFFERENCES].join("\n");
}

function limits(): string {
  const { entriesMax, loadsMax, looksMax, journalMaxBytes, pagesMax } = STATEMENT_LIMITS;
  const { statementMaxLength, rowsMax, stepsMax, answerMaxBytes = Infinity } = SQL_LIMITS;
  const memory = `\`${"admin.query-engine.memory-size" satisfies keyof typeof SETTINGS}\``;
  const time = `\`${"admin.query-engine.time-limit" satisfies keyof typeof SETTINGS}\``;
  return `## Limits

A statement beyond a limit is refused, and the message says what to narrow. The local process owns its store, so that a statement there may read
everything; its memory and its time have limits.

| limit | value |
|---|---|
| rows of the answer, on AWS | ${number(rowsMax)} |
| size of the answer, on AWS | ${bytes(RESULT_MAX_BYTES)}; Arrow leaves as base64, of which 4.5 MiB fit |
| rows and values of a list in a statement | ${number(rowsMax)}, ${bytes(answerMaxBytes)} |
| letters of the statement | ${number(statementMaxLength)} |
| rows that joins, sorts and groups pass | ${number(stepsMax)} |
| entries of the indexes that are read, on AWS | ${number(entriesMax)} |
| invocations, queues and keys that are loaded, on AWS | ${number(loadsMax)} |
| young invocations that are looked at to see whether they are open, on AWS | ${number(looksMax)} |
| the table, for the state and the promises of keys that are not named, on AWS | ${number(pagesMax)} MB |
| journals whose entries are rows in use | ${bytes(journalMaxBytes)} |
| rows in use whose cells are not all read | ${number(KEPT_MAX)} |
| memory of a statement | ${memory} ([configuration](configuration.md)) |
| time of a statement | ${time} |

Two statements run at a time, each in a process of its own, and sixteen wait for their turn. A client that leaves ends its statement.

## How answers arrive

**The local process sends rows while it evaluates the rest,** as JSON and as Arrow. Rows that are ready wait a moment for further rows. A statement
that has to see all rows first (an aggregate, a \`GROUP BY\`, an \`ORDER BY\` that no index gives) sends its first row at its end. A client that reads slowly stops the
evaluation, so that an answer of any size takes a few pieces of 256 KiB in memory; that wait does not count as time of the statement. A client that
takes nothing for a minute is cut off, or for ten seconds while other statements wait for their turn.

**An error before the first row has a status and a message.** After it the status is sent already, so the server breaks the answer off: HTTP/1.1 lacks the last
chunk, HTTP/2 resets the stream, the JSON has no end. The log has the cause as \`admin-statement.cut\` ([log-events.md](log-events.md)).

**On AWS** an answer is sent as a whole, because a function returns it as one value. A larger answer is refused with 400.
`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function bytes(value: number): string {
  return `${value / 1024 / 1024} MiB`;
}

function section(shape: TableShape): string {
  const [what, cheap] = TABLES[shape.name]!;
  const rows = shape.columns.map((column) => {
    const type = dataTypeOf(column).replaceAll("|", "\\|");
    return `| \`${column.name}\` | ${type} | ${sentenceOf(shape.name, column.name)} |`;
  });
  return `## ${shape.name}\n\n${what} **Cheap:** ${cheap}\n\n| column | type | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** @throws Error for a column without a sentence */
export function sentenceOf(table: string, column: string): string {
  const reason = ALWAYS_NULL[table]?.[column];
  const sentence = SENTENCES[table]?.[column] ?? SHARED_SENTENCES[column];
  if (reason !== undefined) return `Always NULL: ${reason}.`;
  if (sentence === undefined) throw new Error(`${table}.${column} has no sentence in sql-columns.ts`);
  return sentence;
}

function flowControl(): string {
  const tables = FLOW_CONTROL_TABLES.map(({ name, columns }) => {
    const list = columns.map((column) => `\`${column.name}\` ${dataTypeOf(column)}`).join(", ");
    return `- \`${name}\`: ${list}.`;
  });
  return `## Tables of flow control

Further tables of the queues of flow control. They exist for clients that read them, and are always empty.

${tables.join("\n")}
`;
}
