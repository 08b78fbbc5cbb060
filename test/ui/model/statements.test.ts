/** Tests the texts of the page of statements: cells, widths, CSV, positions. */
import { expect, test } from "vitest";
import {
  answerIn,
  cellText,
  columnWidths,
  csvText,
  isNumeric,
  placeOf,
  positionIn,
} from "../../../ui/model/sql-answer.ts";
import { sqlText } from "../../../shared/api/wire/quoted-words.ts";

const ANSWER = answerIn('{"columns":["a","b"],"rows":[{"a":18446744073709551615,"b":"x"},{"a":2},{"b":"[1]"}]}');

test("numbers keep all their digits, and a cell without a value has no text", () => {
  expect(ANSWER.rows.map((row) => [cellText(row["a"]), cellText(row["b"])])).toEqual([
    ["18446744073709551615", "x"],
    ["2", undefined],
    [undefined, "[1]"],
  ]);
  expect(isNumeric(ANSWER, "a")).toBe(true);
  expect(isNumeric(ANSWER, "b")).toBe(false);
});

test("an answer without names of columns has those of its rows", () => {
  expect(answerIn('{"rows":[{"a":1},{"b":2}]}').columns).toEqual(["a", "b"]);
  expect(() => answerIn("{}")).toThrow(SyntaxError);
});

test("a cell without a value has none under a name that objects inherit", () => {
  const { columns, rows } = answerIn('{"columns":["__proto__","constructor","a"],"rows":[{"a":1},{"__proto__":2}]}');
  expect(rows.map((row) => columns.map((name) => cellText(row[name])))).toEqual([
    [undefined, undefined, "1"],
    ["2", undefined, undefined],
  ]);
});

test("a column is as wide as its longest cell, within bounds", () => {
  const long = answerIn(JSON.stringify({ columns: ["a", "b"], rows: [{ a: "x".repeat(500), b: 1 }] }));
  expect(columnWidths(long)).toEqual([45, 7]);
});

test.each(["=1+1", "+1", "-x", "@sum", "\t=1", "  =1", "\r=1"])("a cell %j is no formula in a spreadsheet", (cell) => {
  const csv = csvText({ columns: ["c"], rows: [{ c: cell }] });
  expect(csv).toBe(`c\r\n"'${cell}"\r\n`);
});

test("a negative number stays a number, and quotes, commas and line breaks are quoted", () => {
  expect(csvText({ columns: ["n", "=t"], rows: [{ n: -1, "=t": 'a"b,\nc' }] })).toBe(`n,"'=t"\r\n-1,"a""b,\nc"\r\n`);
});

test("the position in a message is a line and a column of the statement", () => {
  const statement = "select id\nfrom sys_invocation\nwhre foo = 1";
  const position = positionIn("Expected the end but found 'foo' at position 35")!;
  expect(placeOf(statement, position)).toEqual({ line: 3, column: 6 });
  expect(positionIn("Column not found")).toBeUndefined();
});

test("a text in a literal cannot end the literal", () => expect(sqlText("a'; drop --")).toBe("'a''; drop --'"));
