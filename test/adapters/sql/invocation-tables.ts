/**
 * Two small tables for tests of statements. Some texts contain `|` or `NULL`, because the SQL engine writes null as `NULL` and
 * joins the values of a row with `|` to make the key of the row.
 */
import { MemorySqlTable } from "./memory-sql-table.ts";

/** Epoch milliseconds of an ISO text. */
export function at(iso: string): number {
  return Date.parse(iso);
}

export function invocationTables(): MemorySqlTable[] {
  const columns = "id, service, key, status, created_at t, modified_at t, retry_count i, flag b, dep";
  return [
    new MemorySqlTable(
      "inv",
      columns,
      [
        {
          id: "a",
          service: "Greeter",
          key: "k|1",
          status: "running",
          created_at: at("2026-01-31T08:15:01.250Z"),
          modified_at: at("2026-02-01T09:00:00Z"),
          retry_count: 2,
          flag: true,
          dep: "dp_1",
        },
        {
          id: "b",
          service: "Greeter",
          key: "k",
          status: "completed",
          created_at: at("2026-01-31T08:15:02Z"),
          modified_at: at("2026-01-31T08:16:02Z"),
          retry_count: null,
          flag: false,
          dep: "dp_gone",
        },
        {
          id: "c",
          service: "Counter",
          key: null,
          status: "suspended",
          created_at: at("2025-12-30T23:59:59Z"),
          modified_at: null,
          retry_count: 3,
          flag: null,
          dep: "dp_1",
        },
        {
          id: "d",
          service: "Counter",
          key: "NULL",
          status: "completed",
          created_at: at("2024-02-29T12:00:00Z"),
          modified_at: at("2024-03-29T12:00:00Z"),
          retry_count: 10,
          flag: true,
          dep: null,
        },
        {
          id: "e",
          service: "Greeter|k",
          key: "1",
          status: "Running",
          created_at: at("2026-01-30T00:00:00Z"),
          modified_at: at("2026-01-29T23:00:00Z"),
          retry_count: 7,
          flag: false,
          dep: "dp_2",
        },
      ],
      { ordered: true },
    ),
    new MemorySqlTable("dp", "id, ty, n i", [
      { id: "dp_1", ty: "http", n: 1 },
      { id: "dp_2", ty: "lambda", n: 2 },
      { id: "dp_3", ty: null, n: null },
    ]),
  ];
}
