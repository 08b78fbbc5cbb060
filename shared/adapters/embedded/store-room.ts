/** The room on the disk of a store: what is free, and what the store needs to write its memory out or to be opened again. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface StoreRoom {
  readonly freeBytes: number;
  /**
   * The logs of the database become tables when the database opens, or when its memory is full; then it begins a new log. A reserve
   * gives room for the tables, and the rest is for what comes next.
   */
  readonly neededBytes: number;
}

const NEW_FILES_BYTES = 1024 * 1024;

/** @param reservedBytes the size of the reserve, which the store can give up @returns undefined if the system does not say */
export async function roomOf(dir: string, reservedBytes: number): Promise<StoreRoom | undefined> {
  try {
    const { bavail, bsize } = await statfs(dir);
    const db = join(dir, "db");
    const logs = (await readdir(db)).filter((name) => name.endsWith(".log"));
    const sizes = await Promise.all(logs.map(async (name) => (await stat(join(db, name))).size));
    const tablesBytes = sizes.reduce((sum, size) => sum + size, 0);
    return { freeBytes: bavail * bsize, neededBytes: NEW_FILES_BYTES + Math.max(0, tablesBytes - reservedBytes) };
  } catch {
    return undefined;
  }
}

const MIB = 1024 * 1024;

/** @returns for example `it needs 17 MiB of room, and 3 MiB are free` */
export function roomText({ freeBytes, neededBytes }: StoreRoom): string {
  return `it needs ${Math.ceil(neededBytes / MIB)} MiB of room, and ${Math.floor(freeBytes / MIB)} MiB are free`;
}
