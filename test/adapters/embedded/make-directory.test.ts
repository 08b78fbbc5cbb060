/** The creation of a directory with its parents, and places where none can be created. */
import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeDirectory } from "../../../shared/adapters/embedded/make-directory.ts";
import { claimFormat } from "../../../shared/adapters/embedded/store-version.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  return () => removeDirectory(dir);
});

test("parents are created with the mode, and an existing directory is fine", async () => {
  const deep = join(dir, "a", "b", "c");
  await makeDirectory(deep, 0o700);
  await makeDirectory(deep, 0o700);
  expect((await stat(join(dir, "a"))).mode & 0o777).toBe(0o700);
});

test.runIf(process.platform === "linux")("a directory below /proc is refused, and not tried for ever", async () => {
  await expect(makeDirectory("/proc/nope/journal", 0o700)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(claimFormat("/proc/nope/journal", "journal")).rejects.toMatchObject({ reason: "inaccessible" });
});

test("a file in the way and a link that leads nowhere are refused", async () => {
  await writeFile(join(dir, "file"), "");
  await expect(makeDirectory(join(dir, "file", "a"), 0o700)).rejects.toMatchObject({ code: "ENOTDIR" });
  await expect(makeDirectory(join(dir, "file"), 0o700)).rejects.toMatchObject({ code: "EEXIST" });
  await symlink(join(dir, "absent", "far"), join(dir, "link"));
  await expect(makeDirectory(join(dir, "link", "a"), 0o700)).rejects.toMatchObject({
    code: expect.stringMatching(/ENOENT|EEXIST/),
  });
  await mkdir(join(dir, "there"));
  await symlink(join(dir, "there"), join(dir, "good"));
  await makeDirectory(join(dir, "good", "a"), 0o700);
});
