/** Tests that an Arrow reader gets the columns and values that were written. */
import { tableFromIPC } from "@uwdata/flechette";
import { expect, test } from "vitest";
import { arrowWriter } from "../../../shared/adapters/arrow/arrow-stream.ts";
import type { SqlAnswer } from "../../../shared/engine/ports/sql.ts";

const arrowStream = ({ columns, rows }: SqlAnswer): Uint8Array => arrowWriter(columns)(rows, true);

test("values of every column type and nulls survive the round trip; an integer above the signed 64 bits wraps around", () => {
  const bytes = arrowStream({
    columns: [
      { name: "text", type: "text" },
      { name: "yes", type: "boolean" },
      { name: "n", type: "integer" },
      { name: "x", type: "number" },
      { name: "at", type: "moment" },
      { name: "for", type: "duration" },
      { name: "raw", type: "bytes" },
      { name: "names", type: "texts" },
      { name: "ids", type: "integers" },
    ],
    rows: [
      ["ä", true, 2n ** 63n + 5n, 0.5, 1_700_000_000_123, 86_400_000, Uint8Array.of(1, 2), ["a", "b"], [1, 2]],
      [null, null, 7, null, null, null, null, null, null],
    ],
  });
  const table = tableFromIPC(bytes, { useDate: true, useBigInt: true });
  expect(table.schema.fields.map(({ name }) => name)).toEqual([
    "text",
    "yes",
    "n",
    "x",
    "at",
    "for",
    "raw",
    "names",
    "ids",
  ]);
  const [first = {}, second] = table.toArray();
  expect(first).toMatchObject({ text: "ä", yes: true, n: -(2n ** 63n) + 5n, x: 0.5, at: new Date(1_700_000_000_123) });
  expect([...(first["raw"] as Uint8Array)]).toEqual([1, 2]);
  expect([...(first["names"] as string[])]).toEqual(["a", "b"]);
  expect(second).toMatchObject({ text: null, yes: null, n: 7n, raw: null, ids: null });
});

test("an answer without rows still has its columns", () => {
  const table = tableFromIPC(arrowStream({ columns: [{ name: "n", type: "integer" }], rows: [] }));
  expect(table.numRows).toBe(0);
  expect(table.schema.fields).toHaveLength(1);
});

test("a stream of several pieces is one table, also if the last piece has no rows", () => {
  const write = arrowWriter([
    { name: "n", type: "integer" },
    { name: "text", type: "text" },
  ]);
  const pieces = [
    write([[1, "a"]], false),
    write(
      [
        [2, null],
        [3, "ä"],
      ],
      false,
    ),
    write([], true),
  ];
  const table = tableFromIPC(Uint8Array.from(Buffer.concat(pieces)));
  expect(table.toArray()).toEqual([
    { n: 1, text: "a" },
    { n: 2, text: null },
    { n: 3, text: "ä" },
  ]);
});

test("an unsigned column keeps its type and its largest value", () => {
  const columns = [
    { name: "key", type: "uint64" },
    { name: "n", type: "uint32" },
  ] as const;
  const largest = 2n ** 64n - 1n;
  const rows = [
    [largest, 4_294_967_295],
    [null, 0],
  ];
  const table = tableFromIPC(arrowStream({ columns, rows }), { useBigInt: true });
  const types = table.schema.fields.map(({ type }) => {
    const { bitWidth, signed } = type as { bitWidth?: number; signed?: boolean };
    return `${signed === true ? "int" : "uint"}${bitWidth}`;
  });
  expect(types).toEqual(["uint64", "uint32"]);
  expect(table.toArray()).toEqual([
    { key: largest, n: 4_294_967_295 },
    { key: null, n: 0 },
  ]);
});
