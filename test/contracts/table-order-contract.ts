/** The contract of the table port for the order of keys, for pages, and for indexes. */
import { expect, test } from "vitest";
import type { Item, Page, Range, Table } from "../../shared/engine/ports/table.ts";
import { freshPartition } from "./fresh-partition.ts";

export function tableOrderContract(table: () => Table): void {
  orderContract(table);
  pagingContract(table);
  indexContract(table);
  partitionContract(table);
}

/** Reads all pages of partitions; a page may begin with the key that ended the page before. */
async function partitionsOf(table: Table, prefix: string): Promise<string[]> {
  const pks: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < 2_000; page++) {
    const found = await table.partitions(prefix, after);
    pks.push(...found.pks.filter((pk, at) => at > 0 || pk !== pks.at(-1)));
    if (found.next === undefined) return pks;
    after = found.next;
  }
  throw new Error("the pages never end");
}

function partitionContract(table: () => Table): void {
  test("partitions are found by the beginning of their keys, each once, whatever characters follow", async () => {
    const prefix = `${freshPartition()}#`;
    const pks = ["", "a", "a#b", "a\0", "a\x01b", "ü", "\uE000", "\u{10FFFF}", "\u{10FFFF}z"].map(
      (end) => prefix + end,
    );
    for (const pk of pks) for (const sk of ["lock", "state#0#a", "z"]) await table().put({ pk, sk });
    await table().put({ pk: prefix.slice(0, -1), sk: "lock" });
    await table().put({ pk: `${prefix.slice(0, -1)}$`, sk: "lock" });
    await table().put({ pk: `${prefix}gone`, sk: "lock" });
    await table().delete({ pk: `${prefix}gone`, sk: "lock" });
    expect((await partitionsOf(table(), prefix)).sort()).toEqual(pks.sort());
  });

  test("partitions that do not fit into one page come on further pages", async () => {
    const prefix = `${freshPartition()}#`;
    const pks = Array.from({ length: 250 }, (_, n) => `${prefix}${n}`);
    await Promise.all(pks.map((pk) => table().put({ pk, sk: "lock" })));
    expect((await partitionsOf(table(), prefix)).sort()).toEqual(pks.sort());
  });

  test("a prefix that no partition has finds none", async () => {
    expect(await partitionsOf(table(), `${freshPartition()}#`)).toEqual([]);
  });
}

/** Reads all pages, and fails when a page exceeds its limit. */
async function pages(read: (range: Range) => Promise<Page>, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  for (let page = 0; page < 200; page++) {
    const found = await read({ ...range, ...(after !== undefined && { after }) });
    if (range.limit !== undefined) expect(found.items.length).toBeLessThanOrEqual(range.limit);
    items.push(...found.items);
    if (found.next === undefined) return items;
    after = found.next;
  }
  throw new Error("the pages never end");
}

const sks = (items: readonly Item[]): string[] => items.map(({ sk }) => sk);

/** Reads again until the index, which may lag, has the expected number of entries. */
async function settled(read: () => Promise<Page>, count: number): Promise<readonly Item[]> {
  for (let tries = 0; ; tries++) {
    const { items } = await read();
    if (items.length === count || tries === 50) return items;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function orderContract(table: () => Table): void {
  // In the order of their UTF-8 bytes; the order of JavaScript's strings differs for the last three.
  const ordered = [
    "\0",
    "\0\0",
    "\x01",
    "#",
    "10",
    "2",
    "A",
    "a",
    "a\0",
    "a\0b",
    "a\x01",
    "a#1",
    "aa",
    "arr#",
    "seg#",
    "ü",
    "\uE000",
    "\uFFFD",
    "\u{1F600}",
  ];

  test("a partition is ordered by the UTF-8 bytes of its sort keys", async () => {
    const pk = freshPartition();
    await Promise.all([...ordered].reverse().map((sk) => table().put({ pk, sk })));
    expect(sks((await table().query(pk)).items)).toEqual(ordered);
    expect(sks((await table().query(pk, { reverse: true })).items)).toEqual([...ordered].reverse());
  });

  test("a lower bound is inclusive, an upper bound exclusive, in both directions", async () => {
    const pk = freshPartition();
    for (const sk of ["a", "b", "b#1", "c", "d"]) await table().put({ pk, sk });
    const read = async (range: Range): Promise<string[]> => sks((await table().query(pk, range)).items);
    expect(await read({ from: "b" })).toEqual(["b", "b#1", "c", "d"]);
    expect(await read({ below: "c" })).toEqual(["a", "b", "b#1"]);
    expect(await read({ from: "b", below: "c" })).toEqual(["b", "b#1"]);
    expect(await read({ from: "b", below: "c", reverse: true })).toEqual(["b#1", "b"]);
    expect(await read({ from: "c", below: "c" })).toEqual([]);
    expect(await read({ from: "d", below: "a" })).toEqual([]);
    expect(await read({ from: "e" })).toEqual([]);
    expect((await table().query(freshPartition())).items).toEqual([]);
  });
}

function pagingContract(table: () => Table): void {
  test.each([1, 3, 7, 25, 100])(
    "pages of %i items give each item once, in both directions, within bounds",
    async (limit) => {
      const pk = freshPartition();
      const all = Array.from({ length: 25 }, (_, n) => `seg#${String(n).padStart(6, "0")}`);
      await Promise.all(all.map((sk) => table().put({ pk, sk })));
      const read = (range: Range): Promise<Page> => table().query(pk, range);
      expect(sks(await pages(read, { limit }))).toEqual(all);
      expect(sks(await pages(read, { limit, reverse: true }))).toEqual([...all].reverse());
      const bounds = { from: all[4]!, below: all[20]! };
      expect(sks(await pages(read, { limit, ...bounds }))).toEqual(all.slice(4, 20));
      expect(sks(await pages(read, { limit, ...bounds, reverse: true }))).toEqual(all.slice(4, 20).reverse());
    },
  );

  test("a partition of several megabytes is read whole, page by page", async () => {
    const pk = freshPartition();
    const bytes = new Uint8Array(300_000).fill(1);
    for (let n = 0; n < 10; n++) await table().put({ pk, sk: `n${n}`, bytes });
    expect(
      (await pages((range) => table().query(pk, range), {})).map((item) => (item["bytes"] as Uint8Array).length),
    ).toEqual(Array(10).fill(300_000));
  });
}

function indexContract(table: () => Table): void {
  test("an index has items of many partitions in the order of the index sort key, and is read in both directions", async () => {
    const list = freshPartition();
    const count = 12;
    await Promise.all(
      Array.from({ length: count }, (_, n) => {
        // Three items share each index sort key.
        const listSk = `2026-01-0${Math.floor(n / 3)}`;
        return table().put({ pk: freshPartition(), sk: "seg#000000", listPk: list, listSk, n });
      }),
    );
    const read = (range: Range): Promise<Page> => table().queryIndex("list", list, range);
    const items = await settled(() => read({}), count);
    expect(items).toHaveLength(count);
    expect(items.map((item) => item["listSk"])).toEqual(
      [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3].map((day) => `2026-01-0${day}`),
    );
    for (const limit of [1, 5, 12]) {
      const forward = await pages(read, { limit });
      expect(new Set(forward.map(({ pk }) => pk)).size).toBe(count);
      expect(forward.map((item) => item["listSk"])).toEqual(items.map((item) => item["listSk"]));
      const backward = await pages(read, { limit, reverse: true });
      expect(backward.map((item) => item["listSk"])).toEqual(items.map((item) => item["listSk"]).reverse());
      expect(new Set(backward.map(({ pk }) => pk)).size).toBe(count);
    }
    const bounds = { from: "2026-01-01", below: "2026-01-03" };
    expect(
      (await pages(read, { ...bounds, limit: 4 })).map((item) => item["n"] as number).sort((a, b) => a - b),
    ).toEqual([3, 4, 5, 6, 7, 8]);
    expect(await pages(read, { ...bounds, limit: 4, reverse: true })).toHaveLength(6);
  });

  test("an item enters an index, moves in the index and leaves the index as its attributes change", async () => {
    const pk = freshPartition();
    const key = { pk, sk: "hold" };
    const [one, two] = [freshPartition(), freshPartition()];
    const shown = async (index: "list" | "open", place: string, count: number): Promise<unknown[]> =>
      (await settled(() => table().queryIndex(index, place), count)).map((item) => [
        item.pk,
        item.sk,
        item[`${index}Sk`],
      ]);

    await table().put({ ...key, openPk: one, openSk: "a" });
    expect(await shown("open", one, 1)).toEqual([[pk, "hold", "a"]]);
    expect(await shown("list", one, 0)).toEqual([]);

    await table().update(key, { set: { openSk: "b", listPk: one, listSk: "l" } });
    expect(await shown("list", one, 1)).toEqual([[pk, "hold", "l"]]);
    expect((await settled(() => table().queryIndex("open", one, { from: "b" }), 1)).map(({ sk }) => sk)).toEqual([
      "hold",
    ]);
    expect(await settled(() => table().queryIndex("open", one, { below: "b" }), 0)).toEqual([]);

    await table().put({ ...key, openPk: two, openSk: "c" });
    expect(await shown("open", two, 1)).toEqual([[pk, "hold", "c"]]);
    expect(await shown("open", one, 0)).toEqual([]);
    expect(await shown("list", one, 0)).toEqual([]);

    await table().update(key, { remove: ["openPk", "openSk"] });
    expect(await shown("open", two, 0)).toEqual([]);

    await table().update(key, { set: { openPk: two, openSk: "d" } });
    expect(await shown("open", two, 1)).toEqual([[pk, "hold", "d"]]);
    await table().delete(key);
    expect(await shown("open", two, 0)).toEqual([]);
  });

  test("transactions and refused writes keep the indexes correct too", async () => {
    const [pk, place] = [freshPartition(), freshPartition()];
    await table().transact([
      { kind: "put", item: { pk, sk: "a", openPk: place, openSk: "1" } },
      { kind: "put", item: { pk, sk: "b", openPk: place, openSk: "2" } },
    ]);
    expect(sks(await settled(() => table().queryIndex("open", place), 2))).toEqual(["a", "b"]);
    await table().put({ pk, sk: "a" }, { kind: "absent" });
    await table().transact([
      { kind: "delete", key: { pk, sk: "b" } },
      { kind: "put", item: { pk, sk: "a" }, condition: { kind: "absent" } },
    ]);
    expect(sks((await table().queryIndex("open", place)).items)).toEqual(["a", "b"]);
  });
}
