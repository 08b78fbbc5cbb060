/** The room on the disk that a store keeps for itself. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreReserve } from "../../../shared/adapters/embedded/store.ts";
import { roomOf } from "../../../shared/adapters/embedded/store-room.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

const MIB = 1024 * 1024;
let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
});
afterEach(() => removeDirectory(dir));

test("is taken once, given up, and taken again", async () => {
  const reserve = new StoreReserve(dir, MIB);
  expect(await reserve.heldBytes()).toBe(0);
  for (let times = 0; times < 2; times++) {
    await reserve.take();
    expect([await reserve.heldBytes(), await readdir(dir)]).toEqual([MIB, ["reserve"]]);
  }
  await reserve.giveUp();
  expect([await reserve.heldBytes(), await readdir(dir)]).toEqual([0, []]);
  await reserve.take();
  expect(await reserve.heldBytes()).toBe(MIB);
});

test("is no file for a store that keeps nothing back, and nothing where it cannot be written", async () => {
  await new StoreReserve(dir, 0).take();
  expect(await readdir(dir)).toEqual([]);
  const absent = new StoreReserve(join(dir, "absent"), MIB);
  await absent.take();
  await absent.giveUp();
  expect(await absent.heldBytes()).toBe(0);
});

test("counts as room for the tables that the logs become, and not as room for what comes next", async () => {
  await mkdir(join(dir, "db"));
  await writeFile(join(dir, "db", "000003.log"), new Uint8Array(3 * MIB));
  const neededMib = async (reservedBytes: number) => (await roomOf(dir, reservedBytes))!.neededBytes / MIB;
  expect([await neededMib(0), await neededMib(2 * MIB), await neededMib(9 * MIB)]).toEqual([4, 2, 1]);
});
