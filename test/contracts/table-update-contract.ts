/** The contract of the table port for updates and transactions. */
import { expect, test } from "vitest";
import { StoreError, type Table, type Write } from "../../shared/engine/ports/table.ts";
import { freshPartition } from "./fresh-partition.ts";

export function tableUpdateContract(table: () => Table): void {
  updateContract(table);
  transactionContract(table);
}

function updateContract(table: () => Table): void {
  test("an update sets, removes and adds, and keeps other attributes", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "a", kept: "k", changed: 1, dropped: true, count: 5, bytes: Uint8Array.of(1) });
    const outcome = await table().update(
      { pk, sk: "a" },
      {
        set: { changed: "now a text", bytes: Uint8Array.of(2, 0) },
        remove: ["dropped", "never there"],
        add: { count: -2, fresh: 7 },
      },
    );
    const expected = { pk, sk: "a", kept: "k", changed: "now a text", count: 3, fresh: 7, bytes: Uint8Array.of(2, 0) };
    expect(outcome).toEqual({ written: true, item: expected });
    expect(await table().get({ pk, sk: "a" })).toEqual(expected);
  });

  test("an update of an absent item creates the item", async () => {
    const pk = freshPartition();
    expect(await table().update({ pk, sk: "a" }, { set: { one: 1 }, remove: ["two"], add: { three: 3 } })).toEqual({
      written: true,
      item: { pk, sk: "a", one: 1, three: 3 },
    });
    expect(await table().get({ pk, sk: "a" })).toEqual({ pk, sk: "a", one: 1, three: 3 });
    expect(await table().update({ pk, sk: "b" }, {})).toEqual({ written: true, item: { pk, sk: "b" } });
    expect(await table().get({ pk, sk: "b" })).toEqual({ pk, sk: "b" });
  });

  test("an update that requires an existing item creates no item", async () => {
    const pk = freshPartition();
    expect(await table().update({ pk, sk: "a" }, { set: { one: 1 } }, { kind: "present" })).toEqual({
      written: false,
      existing: undefined,
    });
    expect(await table().get({ pk, sk: "a" })).toBeUndefined();
  });

  test("an update that adds to a text, sets a key or repeats an attribute throws a StoreError and changes nothing", async () => {
    const pk = freshPartition();
    const item = { pk, sk: "a", text: "t", n: 1 };
    await table().put(item);
    await expect(table().update({ pk, sk: "a" }, { add: { text: 1 } })).rejects.toBeInstanceOf(StoreError);
    await expect(table().update({ pk, sk: "a" }, { set: { n: 2 }, remove: ["n"] })).rejects.toBeInstanceOf(StoreError);
    await expect(table().update({ pk, sk: "a" }, { set: { sk: "b" } })).rejects.toBeInstanceOf(StoreError);
    expect(await table().get({ pk, sk: "a" })).toEqual(item);
  });

  test("attribute names may be reserved words or contain dots", async () => {
    const pk = freshPartition();
    await table().update({ pk, sk: "a" }, { set: { status: "s", "a.b": 1, name: "n", "#": 2 } });
    const condition = { kind: "equal", attribute: "a.b", value: 1 } as const;
    expect((await table().update({ pk, sk: "a" }, { remove: ["status"], add: { "#": 1 } }, condition)).written).toBe(
      true,
    );
    expect(await table().get({ pk, sk: "a" })).toEqual({ pk, sk: "a", "a.b": 1, name: "n", "#": 3 });
  });
}

function transactionContract(table: () => Table): void {
  test("a transaction performs all writes", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "old", n: 1 });
    await table().put({ pk, sk: "away" });
    const writes: Write[] = [
      { kind: "put", item: { pk, sk: "new" }, condition: { kind: "absent" } },
      { kind: "update", key: { pk, sk: "old" }, update: { add: { n: 1 } }, condition: { kind: "present" } },
      { kind: "delete", key: { pk, sk: "away" }, condition: { kind: "present" } },
    ];
    expect(await table().transact(writes)).toEqual({ written: true });
    expect((await table().query(pk)).items).toEqual([
      { pk, sk: "new" },
      { pk, sk: "old", n: 2 },
    ]);
  });

  test("a transaction with refused writes names them, and writes nothing", async () => {
    const pk = freshPartition();
    await table().put({ pk, sk: "b", n: 1 });
    const writes: Write[] = [
      { kind: "put", item: { pk, sk: "a" }, condition: { kind: "absent" } },
      { kind: "put", item: { pk, sk: "b" }, condition: { kind: "absent" } },
      { kind: "update", key: { pk, sk: "c" }, update: { add: { n: 1 } } },
      { kind: "delete", key: { pk, sk: "d" }, condition: { kind: "present" } },
    ];
    expect(await table().transact(writes)).toEqual({ written: false, refused: [false, true, false, true] });
    expect((await table().query(pk)).items).toEqual([{ pk, sk: "b", n: 1 }]);
  });

  test("a transaction takes 100 writes; 101 writes, no write, or two writes to one item throw a StoreError", async () => {
    const pk = freshPartition();
    const puts = (count: number): Write[] =>
      Array.from({ length: count }, (_, n) => ({ kind: "put", item: { pk, sk: `n${n}` } }));
    expect(await table().transact(puts(100))).toEqual({ written: true });
    expect((await table().query(pk)).items).toHaveLength(100);
    await expect(table().transact(puts(101))).rejects.toBeInstanceOf(StoreError);
    await expect(table().transact([])).rejects.toBeInstanceOf(StoreError);
    const twice: Write[] = [...puts(1), { kind: "delete", key: { pk, sk: "n0" } }];
    await expect(table().transact(twice)).rejects.toBeInstanceOf(StoreError);
    expect((await table().query(pk)).items).toHaveLength(100);
  });

  test("one of several racing transactions over the same items wins", async () => {
    const pk = freshPartition();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        table().transact(["a", "b"].map((sk) => ({ kind: "put", item: { pk, sk, n }, condition: { kind: "absent" } }))),
      ),
    );
    expect(outcomes.filter(({ written }) => written)).toHaveLength(1);
    const { items } = await table().query(pk);
    const winner = outcomes.findIndex(({ written }) => written);
    expect(items.map((item) => item["n"])).toEqual([winner, winner]);
  });
}
