/** Tests the statement for the oldest open invocations, and the rows of the list that it yields. */
import { expect, test } from "vitest";
import { NO_FILTER } from "../../../ui/model/invocation-filter.ts";
import { oldestOpenStatement, rowOfStatement } from "../../../ui/model/oldest-open.ts";

const NOW_MS = Date.UTC(2026, 10, 24, 13, 0, 0);

test("with no filter but the status open, only ended invocations are left out", () => {
  const statement = oldestOpenStatement({ ...NO_FILTER, status: ["open"] }, NOW_MS, false);
  expect(statement).toMatch(/WHERE status != 'completed' ORDER BY created_at LIMIT 200$/);
});

test("values are quoted, and the bounds of an age become moments", () => {
  const filter = { ...NO_FILTER, status: ["paused"], service: ["It's"], key: "", age: ">1h" };
  expect(oldestOpenStatement(filter, NOW_MS, true)).toContain(
    "status IN ('paused') AND target_service_name IN ('It''s') AND target_service_key IN ('') AND created_at < '2026-11-24T12:00:00.000Z'",
  );
  expect(oldestOpenStatement({ ...NO_FILTER, age: "<10m" }, NOW_MS, false)).toContain(
    "created_at > '2026-11-24T12:50:00.000Z'",
  );
});

test("a row of the answer becomes a row of the list", () => {
  const waits = JSON.stringify([{ kind: "retry", since: "2026-11-24T12:00:00Z", attempt: 3 }]);
  expect(
    rowOfStatement({
      id: "inv_1",
      target: "S/h",
      target_service_name: "S",
      target_handler_name: "h",
      status: "backing-off",
      created_at: "2026-11-24T12:00:00Z",
      last_failure: "[500 Internal] never well\n  at x",
      last_failure_error_code: "RT0007",
      waits_for: waits,
    }),
  ).toMatchObject({ attempts: 2, error: { code: "RT0007", message: "never well" }, waits_for: [{ kind: "retry" }] });
});
