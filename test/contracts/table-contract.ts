/** The contract of the table port, for every adapter; this file has its tests of items, conditions and races. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  KEYS_MAX,
  StoreError,
  type Condition,
  type Item,
  type ItemValue,
  type Table,
} from "../../shared/engine/ports/table.ts";
import { freshPartition } from "./fresh-partition.ts";
import { tableOrderContract } from "./table-order-contract.ts";
import { tableUpdateContract } from "./table-update-contract.ts";

export interface OpenTable {
  readonly table: Table;
  close(): Promise<void>;
}

/** Runs the whole contract on one table; each test uses its own partitions. */
export function tableContract(name: string, open: () => Promise<OpenTable>): void {
  describe(`${name}: the table contract`, () => {
    let opened: OpenTable;
    const table = (): Table => opened.table;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });
    describe("items", () => itemContract(table));
    describe("conditions", () => conditionContract(table));
    describe("races", () => raceContract(table));
    describe("updates and transactions", () => tableUpdateContract(table));
    describe("order and indexes", () => tableOrderContract(table));
  });
}

function itemContract(table: () => Table): void {
  const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
  const values: readonly [string, ItemValue][] = [
    ["text", "grüße 👋 \u{10FFFF} \uFFFD"],
    ["an empty text", ""],
    ["text with NUL", "a\0b"],
    ["zero", 0],
    ["a negative fraction", -12.625],
    ["the largest safe integer", Number.MAX_SAFE_INTEGER],
    ["true", true],
    ["false", false],
    ["every byte", everyByte],
    ["no bytes", new Uint8Array(0)],
    ["many bytes", new Uint8Array(200_000).fill(7)],
  ];
  test.each(values)("an item returns %s exactly", async (_, value) => {
    const item: Item = { pk: freshPartition(), sk: "a", value };
    expect(await table().put(item)).toEqual({ written: true });
    expect(await table().get({ pk: item.pk, sk: "a" })).toStrictEqual(item);
  });

  test("bytes are read back as plain bytes, and a put copies the caller's bytes", async () => {
    const pk = freshPartition();
    const bytes = Uint8Array.of(1, 2, 3);
    const written = table().put({ pk, sk: "a", bytes });
    bytes[0] = 9;
    await written;
    const found = (await table().get({ pk, sk: "a" }))?.["bytes"];
    expect(found?.constructor).toBe(Uint8Array);
    expect(found).toEqual(Uint8Array.of(1, 2, 3));
  });

  test("an item that was never put is undefined", async () => {
    expect(await table().get({ pk: freshPartition(), sk: "a" })).toBeUndefined();
  });

  test("an undefined attribute is left out", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "a", here: 1, gone: undefined });
    expect(Object.keys((await table().get({ pk, sk: "a" }))!).sort()).toEqual(["here", "pk", "sk"]);
  });

  test("getMany returns items in the order of the keys, and undefined for absent ones", async () => {
    const [pk, other] = [freshPartition(), freshPartition()];
    for (const [n, key] of [
      { pk, sk: "a" },
      { pk, sk: "c" },
      { pk: other, sk: "a" },
    ].entries())
      await table().put({ ...key, n });
    const asked = [
      { pk: other, sk: "a" },
      { pk, sk: "b" },
      { pk, sk: "c" },
      { pk, sk: "a" },
    ];
    expect((await table().getMany(asked)).map((item) => item?.["n"])).toEqual([2, undefined, 1, 0]);
    expect(await table().getMany([])).toEqual([]);
  });

  test("a hundred large items are read in spite of the limit of one answer, and more than a hundred keys are refused", async () => {
    const pk = freshPartition();
    const keys = Array.from({ length: KEYS_MAX }, (_, at) => ({ pk, sk: `k${at}` }));
    for (const [n, key] of keys.entries()) await table().put({ ...key, n, bytes: new Uint8Array(200_000) });
    expect((await table().getMany(keys)).map((item) => item?.["n"])).toEqual(keys.map((_, n) => n));
    await expect(table().getMany([...keys, { pk, sk: "one more" }])).rejects.toBeInstanceOf(StoreError);
  });

  test("a put replaces the whole item", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "a", one: 1 });
    await table().put({ pk, sk: "a", two: 2 });
    expect(await table().get({ pk, sk: "a" })).toEqual({ pk, sk: "a", two: 2 });
  });

  test("a delete removes the item, and deleting it again is no error", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "a" });
    expect(await table().delete({ pk, sk: "a" })).toEqual({ written: true });
    expect(await table().get({ pk, sk: "a" })).toBeUndefined();
    expect(await table().delete({ pk, sk: "a" })).toEqual({ written: true });
  });

  test("keys with NUL, '#' and other special characters are distinct", async () => {
    const pk = freshPartition();
    const keys = [
      "x",
      "x\0",
      "x\0y",
      "x\x01",
      "x\x01\x01",
      "x\x01\x02",
      "x#y",
      "x#",
      "ü",
      "\u{1F600}",
      "x\x02",
    ].flatMap((part) => [
      { pk: `${pk}${part}`, sk: "s" },
      { pk, sk: `${part}s` },
      { pk: `${pk}${part}`, sk: `${part}s` },
    ]);
    for (const [n, key] of keys.entries()) await table().put({ ...key, n }, { kind: "absent" });
    for (const [n, key] of keys.entries()) expect(await table().get(key)).toEqual({ ...key, n });
    const whole = await table().query(`${pk}x`);
    expect(whole.items.map(({ sk }) => sk)).toEqual(["s", "xs"]);
  });

  test("an item that is too large or has a number such as NaN is refused with a StoreError and not written", async () => {
    const pk = freshPartition();
    await expect(table().put({ pk, sk: "large", bytes: new Uint8Array(410_000) })).rejects.toBeInstanceOf(StoreError);
    await expect(table().put({ pk, sk: "nan", n: Number.NaN })).rejects.toBeInstanceOf(StoreError);
    expect((await table().query(pk)).items).toEqual([]);
  });
}

function conditionContract(table: () => Table): void {
  const standing = { text: "m", number: 5, flag: true, bytes: Uint8Array.of(1, 2), empty: "" };
  const T: Condition = { kind: "present" };
  const F: Condition = { kind: "absent" };
  const equal = (attribute: string, value: ItemValue): Condition => ({ kind: "equal", attribute, value });
  const less = (attribute: string, than: number | string): Condition => ({ kind: "less", attribute, than });
  const all = (...of: Condition[]): Condition => ({ kind: "all", of });
  const any = (...of: Condition[]): Condition => ({ kind: "any", of });

  /** [condition, result on the existing item, result on no item] */
  const cases: readonly [Condition, boolean, boolean][] = [
    [T, true, false],
    [F, false, true],
    [equal("text", "m"), true, false],
    [equal("text", "n"), false, false],
    [equal("number", 5), true, false],
    [equal("number", "5"), false, false],
    [equal("flag", true), true, false],
    [equal("flag", false), false, false],
    [equal("bytes", Uint8Array.of(1, 2)), true, false],
    [equal("bytes", Uint8Array.of(1)), false, false],
    [equal("empty", ""), true, false],
    [equal("missing", ""), false, false],
    [equal("sk", "a"), true, false],
    [less("number", 6), true, false],
    [less("number", 5), false, false],
    [less("number", "6"), false, false],
    [less("text", "n"), true, false],
    [less("text", "m"), false, false],
    [less("text", 9), false, false],
    [less("missing", 1), false, false],
    [all(), true, true],
    [any(), false, false],
    [all(T, equal("number", 5)), true, false],
    [all(T, equal("number", 4)), false, false],
    [any(F, equal("number", 5)), true, true],
    [any(F, equal("number", 4)), false, true],
    [any(F, all(less("number", 9), any(equal("text", "x"), equal("text", "m")))), true, true],
    [all(any(F, T), any(all(equal("flag", false)), less("number", 1))), false, false],
  ];
  test.each(cases)("%j is judged on an existing item and on an absent one", async (condition, onItem, onNone) => {
    const pk = freshPartition();
    const item = { pk, sk: "a", ...standing };
    await table().put(item);
    const refused = { written: false, existing: item };
    expect(await table().put({ ...item, next: 1 }, condition)).toEqual(onItem ? { written: true } : refused);
    expect(await table().get({ pk, sk: "a" })).toEqual(onItem ? { ...item, next: 1 } : item);
    expect(await table().put({ pk, sk: "none" }, condition)).toEqual(
      onNone ? { written: true } : { written: false, existing: undefined },
    );
    expect(await table().get({ pk, sk: "none" })).toEqual(onNone ? { pk, sk: "none" } : undefined);
  });

  test("a refused update or delete returns the existing item too, and changes nothing", async () => {
    const pk = freshPartition();
    const item = { pk, sk: "a", ...standing };
    await table().put(item);
    const refused = { written: false, existing: item };
    expect(await table().update({ pk, sk: "a" }, { set: { text: "new" } }, equal("number", 4))).toEqual(refused);
    expect(await table().delete({ pk, sk: "a" }, equal("number", 4))).toEqual(refused);
    expect(await table().get({ pk, sk: "a" })).toEqual(item);
    expect(await table().delete({ pk, sk: "a" }, equal("number", 5))).toEqual({ written: true });
    expect(await table().delete({ pk, sk: "a" }, equal("number", 5))).toEqual({ written: false, existing: undefined });
  });

  test("texts compare by their UTF-8 bytes, in which U+FFFD comes before U+1F600", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "a", text: "\uFFFD" });
    expect((await table().put({ pk, sk: "a", text: "\u{1F600}" }, less("text", "\u{1F600}"))).written).toBe(true);
    expect((await table().put({ pk, sk: "a" }, less("text", "\uFFFD"))).written).toBe(false);
  });
}

function raceContract(table: () => Table): void {
  test("one of 50 racing puts of an absent item wins, and the others get the winner's item", async () => {
    const pk = freshPartition();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => table().put({ pk, sk: "a", n }, { kind: "absent" })),
    );
    const winner = outcomes.findIndex(({ written }) => written);
    expect(outcomes.filter(({ written }) => written)).toHaveLength(1);
    const item = { pk, sk: "a", n: winner };
    for (const [n, outcome] of outcomes.entries())
      if (n !== winner) expect(outcome).toEqual({ written: false, existing: item });
    expect(await table().get({ pk, sk: "a" })).toEqual(item);
  });

  test("one of 20 racing updates that require the same token wins in each round", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "hold", token: "t0" });
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          table().update(
            { pk, sk: "hold" },
            { set: { token: `t${round + 1}`, by: n } },
            { kind: "equal", attribute: "token", value: `t${round}` },
          ),
        ),
      );
      expect(outcomes.filter(({ written }) => written)).toHaveLength(1);
      expect((await table().get({ pk, sk: "hold" }))?.["by"]).toBe(outcomes.findIndex(({ written }) => written));
    }
  });

  test("concurrent additions all count", async () => {
    const pk = freshPartition();
    await Promise.all(Array.from({ length: 40 }, () => table().update({ pk, sk: "count" }, { add: { n: 2 } })));
    expect(await table().get({ pk, sk: "count" })).toEqual({ pk, sk: "count", n: 80 });
  });
}
