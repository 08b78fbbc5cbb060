/** Creates a directory with its parents, and tries each parent once: below /proc, Node's recursive mkdir tries for ever. */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** @throws the error of the operating system */
export async function makeDirectory(dir: string, mode: number): Promise<void> {
  try {
    return await mkdir(dir, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" && (await stat(dir)).isDirectory()) return;
    const parent = dirname(dir);
    if (code !== "ENOENT" || parent === dir) throw error;
    await makeDirectory(parent, mode);
  }
  await mkdir(dir, { mode });
}
