/**
 * Compares the columns of the tables with those of the reference server 1.7.12. `documented` are the columns on its page of
 * tables, `beside` those of further tables that its clients read.
 */
import { SCHEDULE_RUNS, SCHEDULES } from "../../../shared/core/query/table-shapes.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

/** `name type` of each column, by table. */
type Columns = Readonly<Record<string, readonly string[]>>;

const { documented, beside } = JSON.parse(
  readFileSync(new URL("reference-columns.json", import.meta.url), "utf8"),
) as Readonly<Record<"documented" | "beside", Columns>>;

const DATA_TYPES: Readonly<Record<string, string>> = {
  Utf8: "LargeUtf8",
  Boolean: "Boolean",
  UInt32: "UInt32",
  UInt64: "UInt64",
  TimestampMillisecond: 'Timestamp(Millisecond, Some("+00:00"))',
  DurationMillisecond: "Duration(Millisecond)",
  Binary: "LargeBinary",
  "Utf8 List": "List(LargeUtf8)",
  "UInt32 List": "List(UInt32)",
};

/** Columns that Stepwell's tables of invocations have, and those of the reference server do not. */
const OF_INVOCATIONS = [
  "created_by",
  "last_action",
  "last_action_at",
  "last_action_by",
  "outcome",
  "waits_for",
  "pause_reason",
  "paused_at",
  "paused_by",
  "start_by",
  "end_by",
  "priority",
  "singleton_key",
];
const OWN: Readonly<Record<string, readonly string[]>> = {
  sys_invocation: OF_INVOCATIONS,
  sys_invocation_status: OF_INVOCATIONS,
  sys_deployment: ["health", "health_since", "health_reason", "last_contact_at"],
  sys_inbox: ["scope"],
  sys_keyed_service_status: ["scope"],
  sys_rules: ["rate", "burst"],
  sys_schedules: SCHEDULES.columns.map(({ name }) => name),
  sys_schedule_runs: SCHEDULE_RUNS.columns.map(({ name }) => name),
  sys_user_limits: ["pool", "oldest_waiting_since"],
};

const open = stages();

function written(tables: Columns): string[] {
  return Object.entries(tables).flatMap(([table, columns]) =>
    columns.map(
      (column) => `${table}.${column.replace(/ (.+)$/, (_, type: string) => ` ${DATA_TYPES[type] ?? type}`)}`,
    ),
  );
}

async function ownColumns(): Promise<string[]> {
  const stage = await open({});
  const rows = await rowsOf(
    stage.actor(),
    "select table_name as t, column_name as c, data_type as d from information_schema.columns where table_schema = 'public'",
  );
  return rows.map(({ t, c, d }) => `${String(t)}.${String(c)} ${String(d)}`);
}

test("every column in the documentation of the reference server exists, with its type", async () => {
  const reference = written(documented);
  expect(reference).toHaveLength(212);
  const own = new Set(await ownColumns());
  expect([...reference, ...written(beside)].filter((column) => !own.has(column))).toEqual([]);
});

test("every other column is in the list of Stepwell's own columns", async () => {
  const reference = new Set([...written(documented), ...written(beside)]);
  const more = (await ownColumns()).filter((column) => !reference.has(column)).map((column) => column.split(" ")[0]!);
  const known = Object.entries(OWN).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
  expect(more.sort()).toEqual(known.sort());
});
