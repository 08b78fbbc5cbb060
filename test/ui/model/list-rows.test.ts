/** Tests the rows of a long list while its first page is read again and older pages are added. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  NO_ROWS,
  type ListRow,
  type Rows,
  ROWS_MAX,
  withFresh,
  withHead,
  withOlder,
} from "../../../ui/model/list-rows.ts";

function row(id: string, status: ListRow["status"] = "suspended"): ListRow {
  const target = { target: "S/h", target_service_name: "S", target_handler_name: "h" };
  return { id, ...target, status, created_at: "2026-11-24T13:00:00Z" };
}

const rows = (...ids: readonly string[]): readonly ListRow[] => ids.map((id) => row(id));
const idsOf = (shown: readonly ListRow[]): readonly string[] => shown.map(({ id }) => id);

test("new rows wait until the reader asks for them, and then come first", () => {
  const first = withHead(NO_ROWS, rows("c", "b", "a"), true);
  const later = withHead(first, rows("e", "d", "c", "b", "a"), true);
  expect([idsOf(later.shown), idsOf(later.fresh)]).toEqual([
    ["c", "b", "a"],
    ["e", "d"],
  ]);
  expect(idsOf(withFresh(later, 100)!.shown)).toEqual(["e", "d", "c", "b", "a"]);
});

test("new rows of several reads add up, in the order of the list", () => {
  let now = withHead(NO_ROWS, rows("c", "b"), false);
  now = withHead(now, rows("d", "c"), false);
  now = withHead(now, rows("e", "d"), false);
  expect(idsOf(now.fresh)).toEqual(["e", "d"]);
});

test("known rows show their present facts", () => {
  const first = withHead(NO_ROWS, rows("b", "a"), true);
  const { shown } = withHead(first, [row("b", "completed"), row("a")], true);
  expect(shown.map(({ status }) => status)).toEqual(["completed", "suspended"]);
});

test("a row that no longer matches leaves the list only if the whole list is on the first page", () => {
  const first = withHead(NO_ROWS, rows("b", "a"), true);
  expect(idsOf(withHead(first, rows("a"), true).shown)).toEqual(["a"]);
  expect(idsOf(withHead(first, rows("a"), false).shown)).toEqual(["b", "a"]);
  expect(withHead(first, [], true)).toEqual(NO_ROWS);
});

test("a full page of new rows is not joined with the shown ones, because further rows may be between", () => {
  const first = withHead(NO_ROWS, rows("b", "a"), false);
  expect(withFresh(withHead(first, rows("f", "e"), false), 2)).toBeUndefined();
});

test("an older page is added without a row that was already shown", () => {
  const first = withHead(NO_ROWS, rows("d", "c"), false);
  expect(idsOf(withOlder(first, rows("c", "b", "a")).shown)).toEqual(["d", "c", "b", "a"]);
});

test("the list ends at its bound", () => {
  const many = Array.from({ length: ROWS_MAX }, (_, at) => row(`x${at}`));
  expect(withOlder({ shown: many, fresh: [] }, rows("a")).shown).toHaveLength(ROWS_MAX);
});

test("no row is shown twice, whatever is read in which order", () => {
  const page = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 });
  const step = fc.record({ page, kind: fc.constantFrom("head", "whole", "older", "fresh") });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let now: Rows = NO_ROWS;
      for (const { page: ids, kind } of steps) {
        const read = rows(...ids.toSorted((a, b) => b - a).map(String));
        if (kind === "fresh") now = withFresh(now, 100) ?? now;
        else now = kind === "older" ? withOlder(now, read) : withHead(now, read, kind === "whole");
        const all = [...now.shown, ...now.fresh].map(({ id }) => id);
        expect(new Set(all).size).toBe(all.length);
      }
    }),
  );
});
