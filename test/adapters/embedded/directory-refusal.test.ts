/**
 * Tests the error code for each operation that the operating system refuses while a store opens; no operation gets the code for
 * damaged or foreign data.
 */
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { directoryRefusal } from "../../../shared/adapters/embedded/directory-refusal.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { STORE_FORMAT, type StoreKind } from "../../../shared/adapters/embedded/store-version.ts";
import { storeRefusal } from "../../../shared/wiring/start-refusals.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

let parent: string;
beforeEach(async () => {
  parent = await temporaryDirectory();
  return () => removeDirectory(parent);
});

type Operation = "mkdir" | "readdir" | "readFile" | "open" | "rename";

/**
 * Makes an operation fail with an error of the operating system. Modes of directories do not suffice, because they do not stop
 * root.
 */
function failAt(operation: Operation, code: string): void {
  const real = files[operation];
  const replace = (replacement: unknown): void => {
    Object.assign(files, { [operation]: replacement });
    syncBuiltinESMExports();
  };
  replace(() => Promise.reject(Object.assign(new Error(`${code}: some words, ${operation}`), { code })));
  onTestFinished(() => replace(real));
}

async function refusal(dir: string, kind: StoreKind): Promise<unknown> {
  const error: unknown = await openStore(dir, { kind }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return storeRefusal(kind, error);
}

const KINDS = ["meta", "journal"] as const;

test.each<readonly [string, Operation, string]>([
  ["EACCES", "mkdir", "RT0900"],
  ["EPERM", "mkdir", "RT0900"],
  ["EROFS", "mkdir", "RT0900"],
  ["EACCES", "readdir", "RT0900"],
  ["EIO", "readdir", "RT0900"],
  ["EACCES", "open", "RT0900"],
  ["ENOTDIR", "mkdir", "RT0901"],
  ["ENOSPC", "mkdir", "RT0902"],
  ["ENOSPC", "open", "RT0902"],
  ["EDQUOT", "rename", "RT0902"],
])("%s of %s is refused with %s, in both stores", async (errno, operation, code) => {
  failAt(operation, errno);
  for (const kind of KINDS) {
    const reason: unknown = expect.stringContaining(`${errno}: some words, ${operation}`);
    expect(await refusal(join(parent, kind), kind)).toMatchObject({ code, message: reason });
  }
});

test("a VERSION file without permission to read it is not reported as damaged", async () => {
  for (const kind of KINDS) await (await openStore(join(parent, kind), { kind })).close();
  failAt("readFile", "EACCES");
  for (const kind of KINDS) expect(await refusal(join(parent, kind), kind)).toMatchObject({ code: "RT0900" });
});

test.each<readonly [string, (dir: string) => Promise<string>]>([
  ["the directory", async (dir) => (await files.writeFile(dir, ""), dir)],
  ["a part of its path", async (dir) => (await files.writeFile(dir, ""), join(dir, "below", "it"))],
  [
    "the database",
    async (dir) => {
      await files.mkdir(dir);
      const kind = dir.endsWith("meta") ? "meta" : "journal";
      await files.writeFile(join(dir, "VERSION"), JSON.stringify({ format: STORE_FORMAT[kind], kind }));
      await files.writeFile(join(dir, "db"), "");
      return dir;
    },
  ],
])("a file in place of %s is refused with RT0901", async (_what, make) => {
  for (const kind of KINDS)
    expect(await refusal(await make(join(parent, kind)), kind)).toMatchObject({
      code: "RT0901",
      message: expect.stringMatching(/not a directory|file already exists/i),
    });
});

test.each([
  ["Permission denied", "inaccessible"],
  ["Read-only file system", "inaccessible"],
  ["Input/output error", "inaccessible"],
  ["Not a directory", "not-a-directory"],
  ["No space left on device", "full"],
  ["Disk quota exceeded", "full"],
  ["No such file or directory", undefined],
  ["checksum mismatch", undefined],
])("the database error %j gives the refusal %s", (words, expected) => {
  const cause = Object.assign(new Error(`IO error: /a/b/LOCK: ${words}`), { code: "LEVEL_IO_ERROR" });
  expect(directoryRefusal(new Error("Database failed to open", { cause }))).toBe(expected);
});
