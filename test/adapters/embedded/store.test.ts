/** Tests the opening of store directories (new, existing, foreign and locked ones) and the closing of stores. */
import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { STORE_FORMAT, StoreOpenError } from "../../../shared/adapters/embedded/store-version.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

const EXPECTED = STORE_FORMAT.journal;

let parent: string;
let dir: string;

beforeEach(async () => {
  parent = await temporaryDirectory();
  dir = join(parent, "a", "store");
});

afterEach(() => removeDirectory(parent));

async function versioned(text: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "VERSION"), text);
}

async function readVersion(): Promise<unknown> {
  return JSON.parse(await readFile(join(dir, "VERSION"), "utf8")) as unknown;
}

const refusal = async (kind: "meta" | "journal" = "journal"): Promise<StoreOpenError> => {
  const error: unknown = await openStore(dir, { kind }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreOpenError);
  return error as StoreOpenError;
};

describe("opening a store", () => {
  test("creates the directory, its VERSION and its database if nothing exists", async () => {
    const store = await openStore(dir, { kind: "meta" });
    await store.close();
    expect((await readdir(dir)).sort()).toEqual(["VERSION", "db"]);
    expect(await readVersion()).toEqual({ format: STORE_FORMAT.meta, kind: "meta" });
  });

  test.skipIf(process.platform === "win32")(
    "gives new directories to the owner only, and leaves existing ones unchanged",
    async () => {
      await chmod(parent, 0o755);
      await (await openStore(dir, { kind: "meta" })).close();
      const modes = await Promise.all(
        [parent, join(parent, "a"), dir].map(async (path) => (await stat(path)).mode & 0o777),
      );
      expect(modes).toEqual([0o755, 0o700, 0o700]);
    },
  );

  test("finds earlier writes", async () => {
    const store = await openStore(dir, { kind: "journal" });
    await new EmbeddedTable(store).put({ pk: "a", sk: "b", n: 1 });
    await store.close();
    const again = await openStore(dir, { kind: "journal" });
    expect(await new EmbeddedTable(again).get({ pk: "a", sk: "b" })).toEqual({ pk: "a", sk: "b", n: 1 });
    await again.close();
  });

  test("succeeds after a crash interrupted the creation of VERSION", async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "VERSION.new"), '{"for');
    await (await openStore(dir, { kind: "journal" })).close();
  });

  test("refuses an older and a newer format, and names the format", async () => {
    await versioned(JSON.stringify({ format: EXPECTED - 1, kind: "journal" }));
    expect(await refusal()).toMatchObject({ reason: "older", found: EXPECTED - 1, expected: EXPECTED, dir });
    await versioned(JSON.stringify({ format: EXPECTED + 1, kind: "journal", more: true }));
    expect(await refusal()).toMatchObject({ reason: "newer", found: EXPECTED + 1, expected: EXPECTED, dir });
    expect(await readdir(dir)).toEqual(["VERSION"]);
  });

  test("refuses a directory with other content, and leaves it unchanged", async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "precious.txt"), "mine");
    expect(await refusal()).toMatchObject({ reason: "unversioned", found: undefined, expected: EXPECTED, dir });
    expect(await readdir(dir)).toEqual(["precious.txt"]);
  });

  test("refuses a damaged VERSION, a store of the other kind and a damaged database as unreadable", async () => {
    for (const text of ["", "1", "null", '{"format":"1","kind":"journal"}']) {
      await versioned(text);
      expect(await refusal()).toMatchObject({ reason: "unreadable", dir });
    }
    await versioned(JSON.stringify({ format: STORE_FORMAT.meta, kind: "meta" }));
    expect(await refusal("journal")).toMatchObject({ reason: "unreadable", found: STORE_FORMAT.meta });
    await mkdir(join(dir, "db"));
    await writeFile(join(dir, "db", "CURRENT"), "MANIFEST-000009\n");
    expect(await refusal("meta")).toMatchObject({ reason: "unreadable" });
  });

  test("refuses an open store, and opens it once it is closed", async () => {
    const store = await openStore(dir, { kind: "journal" });
    expect(await refusal()).toMatchObject({ reason: "locked", dir });
    await store.close();
    await (await openStore(dir, { kind: "journal" })).close();
  });
});

describe("closing a store", () => {
  test("completes earlier writes, and refuses later ones", async () => {
    const store = await openStore(dir, { kind: "journal" });
    const table = new EmbeddedTable(store);
    const written = table.put({ pk: "a", sk: "b" });
    const closed = store.close();
    expect(await written).toEqual({ written: true });
    await closed;
    await expect(table.put({ pk: "a", sk: "c" })).rejects.toMatchObject({ name: "StoreError" });
    await expect(table.get({ pk: "a", sk: "b" })).rejects.toMatchObject({ name: "StoreError" });
    await store.close();
    const again = await openStore(dir, { kind: "journal" });
    expect((await new EmbeddedTable(again).query("a")).items).toEqual([{ pk: "a", sk: "b" }]);
    await again.close();
  });
});
