/** Tests the attributes that the entries of an index show. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

const SHOWN = { list: ["service", "n"] };
let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await temporaryDirectory();
  store = await openStore(dir, { kind: "journal" });
});
afterEach(async () => {
  await store.close();
  await removeDirectory(dir);
});

const key = { pk: "inv#1", sk: "seg#0" };
const place = { listPk: "day", listSk: "1" };
const item = { ...key, ...place, service: "S", n: "a", b: new Uint8Array(100) };

test("a query of the index reads no items: it returns the keys and the shown attributes", async () => {
  const table = new EmbeddedTable(store, SHOWN);
  await table.put(item);
  store.read = () => {
    throw new Error("an item was read");
  };
  store.readMany = store.read as never;
  expect((await table.queryIndex("list", "day")).items).toEqual([{ ...key, ...place, service: "S", n: "a" }]);
});

test("an entry shows each change of a shown attribute, also if the entry keeps its place in the index", async () => {
  const table = new EmbeddedTable(store, SHOWN);
  await table.put(item);
  await table.update(key, { set: { n: "b" }, remove: ["service"] });
  expect((await table.queryIndex("list", "day")).items).toEqual([{ ...key, ...place, n: "b" }]);
});
