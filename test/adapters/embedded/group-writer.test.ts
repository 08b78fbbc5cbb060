/** Tests that a group of any size reaches the database whole and synced. */
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Operation } from "../../../shared/adapters/embedded/commit-groups.ts";
import { writeGroup } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

const SIZES_BYTES = [0, 10, 63 * 1024, 65 * 1024, 300 * 1024];

let dir: string;
let database: ClassicLevel<string, Uint8Array>;

beforeEach(async () => {
  dir = await temporaryDirectory();
  database = new ClassicLevel(join(dir, "db"), { keyEncoding: "utf8", valueEncoding: "view" });
  await database.open();
});

afterEach(async () => {
  await database.close();
  await removeDirectory(dir);
});

/** Wraps the package's batch functions, and records the write options of each batch. */
function watchOptions(): unknown[] {
  const seen: unknown[] = [];
  const batch = database.batch.bind(database) as (...args: unknown[]) => { write(options: unknown): Promise<void> };
  const watched = (...args: unknown[]): unknown => {
    const result = batch(...args);
    if (args.length > 0) {
      seen.push(args[1]);
      return result;
    }
    const write = result.write.bind(result);
    const watchedWrite = (options: unknown): Promise<void> => {
      seen.push(options);
      return write(options);
    };
    return Object.assign(result, { write: watchedWrite });
  };
  Object.assign(database, { batch: watched });
  return seen;
}

test.each(SIZES_BYTES)("a group with %i bytes of values is written in order and synced", async (sizeBytes) => {
  await database.put("gone", new Uint8Array(1));
  const options = watchOptions();
  const value = new Uint8Array(sizeBytes).fill(7);
  const operations: Operation[] = [
    { type: "put", key: "a\0ü", value },
    { type: "del", key: "gone" },
    { type: "put", key: "twice", value: new Uint8Array([1]) },
    { type: "put", key: "twice", value: new Uint8Array([2]) },
  ];
  await writeGroup(database, operations);
  expect(options).toEqual([{ sync: true }]);
  expect(await database.get("a\0ü")).toEqual(Buffer.from(value));
  expect(await database.get("gone")).toBeUndefined();
  expect([...(await database.get("twice"))!]).toEqual([2]);
});

test.each(SIZES_BYTES)("a group with %i bytes and an invalid operation writes nothing", async (sizeBytes) => {
  const operations = [
    { type: "put", key: "a", value: new Uint8Array(sizeBytes) },
    { type: "put", key: "b", value: undefined as unknown as Uint8Array },
  ] as const;
  const writing = async (): Promise<void> => await writeGroup(database, [...operations]);
  await expect(writing()).rejects.toThrow();
  expect(await database.get("a")).toBeUndefined();
});

test.each(SIZES_BYTES)("a group of %i bytes for a closed database is refused", async (sizeBytes) => {
  await database.close();
  const value = new Uint8Array(sizeBytes);
  await expect(writeGroup(database, [{ type: "put", key: "a", value }])).rejects.toThrow(/not open/);
});
