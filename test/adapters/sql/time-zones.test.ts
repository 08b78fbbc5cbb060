/** Tests that moments in statements do not depend on the time zone of the process. */
import { expect, test } from "vitest";
import { inTimeZone, TIME_ZONES } from "../../in-time-zone.ts";

const PROGRAM = `
import { SqlEngine } from "./shared/adapters/sql/sql-engine.ts";
import { MemorySqlTable } from "./test/adapters/sql/memory-sql-table.ts";

const HOUR_MS = 3_600_000;
const MIDNIGHT_MS = Date.UTC(2026, 2, 1);
// An hour before a month begins, when it begins, and an hour later.
const rows = [-1, 0, 1].map((hour) => ({ id: String(hour), created_at: MIDNIGHT_MS + hour * HOUR_MS }));

export default () =>
  Promise.all(
    [
      "2026-03-01",
      "2026-03-01 00:00:00",
      "2026-03-01T00:00",
      "2026-03-01T00:00:00.000",
      "2026-03-01 00:00:00 Z",
      "2026-02-28T14:00:00-10:00",
    ].map(async (moment) => {
      const table = new MemorySqlTable("sys_invocation", "id, created_at t", rows, { ordered: true });
      const sql = new SqlEngine(() => MIDNIGHT_MS + 2 * HOUR_MS);
      const answer = await sql.run("select id from sys_invocation where created_at >= '" + moment + "'", [table]);
      return answer.rows.flat().join();
    }),
  );
`;

test.each(TIME_ZONES)("a moment without a zone means UTC, in %s too", async (zone) => {
  expect(await inTimeZone(zone, PROGRAM)).toEqual(Array.from({ length: 6 }, () => "0,1"));
});
