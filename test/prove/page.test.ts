/** Tests what the page keeps of the chunks of several runs. */
import { expect, test } from "vitest";
import { chunksKept, withRun, withTable } from "./page.mjs";

const PAGE = "before\n<!-- written by `npm run prove -- --write-docs` -->\nold<!-- end -->after\n";
const runOf = (version: string, numbers: readonly number[]) => ({
  version,
  form: "long",
  node: "v20",
  cpu: "one",
  parts: [
    {
      name: "seeds",
      chunks: 4,
      played: numbers.map((number) => ({ number, seconds: 10, figures: { seeds: 5, quietAtMsMax: number } })),
    },
  ],
});

test("a long form is kept in pieces, each with its commit", () => {
  const first = withRun({}, runOf("aaa", [1, 2]));
  const both = withRun(first, runOf("bbb", [4]));
  expect([...chunksKept(both, "seeds", "long")]).toEqual([1, 2, 4]);
  expect(withTable(PAGE, both)).toContain(
    "| `seeds` | long | 15 seeds, quiet at ms at most 4 | 30 s, 3 of 4 chunks | aaa, bbb |",
  );
});

test("a chunk that is played again drops the piece with its former figures", () => {
  const first = withRun({}, runOf("aaa", [1, 2]));
  expect([...chunksKept(withRun(first, runOf("aaa", [1, 2, 3])), "seeds", "long")]).toEqual([1, 2, 3]);
  expect([...chunksKept(withRun(first, runOf("bbb", [2])), "seeds", "long")]).toEqual([2]);
});

test("a run in which every chunk failed changes nothing", () => {
  const first = withRun({}, runOf("aaa", [1]));
  expect(withRun(first, runOf("bbb", []))).toEqual(first);
  expect(withRun({}, runOf("bbb", []))).toEqual({});
});
