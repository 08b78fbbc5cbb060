/** Tests that a look-up in the list reads on over pages that are empty, and stops at its bounds. */
import { expect, test } from "vitest";
import { firstRows, type PageOf } from "../../../ui/model/pages-of.ts";

const asked: (string | undefined)[] = [];

function list(...pages: readonly (readonly number[])[]) {
  asked.length = 0;
  return async (after: string | undefined): Promise<PageOf<number>> => {
    asked.push(after);
    const at = after === undefined ? 0 : Number(after);
    return { invocations: pages[at] ?? [], ...(at < pages.length - 1 && { next: String(at + 1) }) };
  };
}

test("a row behind empty pages is found", async () => {
  expect(await firstRows(list([], [], [7], [8]), 1, { requestsMax: 40 })).toEqual({ rows: [7], mayHaveMore: true });
  expect(asked).toEqual([undefined, "1", "2"]);
});

test("at the end of the list there is nothing more", async () => {
  expect(await firstRows(list([], [1], [2]), 5, { requestsMax: 40 })).toEqual({ rows: [1, 2], mayHaveMore: false });
  expect(await firstRows(list([1, 2, 3]), 2, { requestsMax: 40 })).toEqual({ rows: [1, 2, 3], mayHaveMore: false });
});

test("a search in vain ends at the bound of requests or of time, and says that more may follow", async () => {
  const empty = Array.from({ length: 100 }, () => []);
  expect(await firstRows(list(...empty), 1, { requestsMax: 3 })).toEqual({ rows: [], mayHaveMore: true });
  expect(asked).toHaveLength(3);
  expect(await firstRows(list(...empty), 1, { requestsMax: 40, isOver: () => asked.length >= 2 })).toEqual({
    rows: [],
    mayHaveMore: true,
  });
  expect(asked).toHaveLength(2);
});
