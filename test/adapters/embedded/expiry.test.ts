/** Tests that expired items stay readable until a sweep deletes them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

let dir: string;
let store: Store;
let table: EmbeddedTable;

beforeEach(async () => {
  dir = await temporaryDirectory();
  store = await openStore(dir, { kind: "journal" });
  table = new EmbeddedTable(store);
});

afterEach(async () => {
  await store.close();
  await removeDirectory(dir);
});

const left = async (): Promise<string[]> => (await table.query("a")).items.map(({ sk }) => sk);

test("a sweep deletes expired items, the oldest first, up to its limit", async () => {
  const times = { late: 2_000_000_000, never: undefined, soon: 1_000, zero: 0, now: 5_000, fraction: 5_000.5 };
  for (const [sk, expiresAtS] of Object.entries(times))
    await table.put({ pk: "a", sk, expiresAtS, listPk: "l", listSk: sk });
  expect(await table.sweepExpired(5_000, 2)).toBe(2);
  expect(await left()).toEqual(["fraction", "late", "never", "now"]);
  expect(await table.sweepExpired(5_000, 10)).toBe(1);
  expect(await table.sweepExpired(5_000, 10)).toBe(0);
  expect(await table.sweepExpired(5_001, 10)).toBe(1);
  expect(await left()).toEqual(["late", "never"]);
  expect((await table.queryIndex("list", "l")).items.map(({ sk }) => sk)).toEqual(["late", "never"]);
});

test("a sweep ignores the old time of an item whose time was extended or removed", async () => {
  await table.put({ pk: "a", sk: "extended", expiresAtS: 100 });
  await table.put({ pk: "a", sk: "freed", expiresAtS: 100 });
  await table.put({ pk: "a", sk: "racing", expiresAtS: 100 });
  await table.update({ pk: "a", sk: "extended" }, { set: { expiresAtS: 900 } });
  await table.update({ pk: "a", sk: "freed" }, { remove: ["expiresAtS"] });
  const racing = table.update({ pk: "a", sk: "racing" }, { set: { expiresAtS: 900 } });
  const swept = table.sweepExpired(100, 10);
  await racing;
  expect(await swept).toBe(0);
  expect(await left()).toEqual(["extended", "freed", "racing"]);
  expect(await table.sweepExpired(900, 10)).toBe(2);
  expect(await left()).toEqual(["freed"]);
});
