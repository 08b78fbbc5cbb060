/** A disk that can be filled and emptied under a running process: a small tmpfs, or a limit on the size of its files. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly way: "tmpfs" | "file size limit";
  readonly dir: string;
  /** Makes each further write fail. */
  fill(pid: number): void;
  /**
   * The words to put before a command so that its process starts with a full disk. A tmpfs needs none, because `fill` can fill it
   * before the process starts.
   */
  readonly under: readonly string[];
  /** Makes writes succeed again. */
  free(pid: number): void;
  /** Makes a few small writes succeed again: three megabytes become free, where the disk has a size. */
  freeLittle(pid: number): void;
  remove(): void;
}

const SIZE = "48m";
const LITTLE_BYTES = 3 * 1024 * 1024;
const FILLER_PIECE = Buffer.alloc(1024 * 1024);

/** @throws Error with both reasons if neither way is possible */
export function openSmallDisk(): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), "stepwell-disk-"));
  try {
    const mounted = reasonAgainst(() => run("mount", "-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", dir));
    if (mounted === undefined) return tmpfs(dir);
    const limited = reasonAgainst(() => run("prlimit", "--pid", String(process.pid), "--fsize"));
    if (limited === undefined) return fileSizeLimit(dir);
    throw new Error(`no disk can be made small here: mount: ${mounted}; prlimit: ${limited}`);
  } catch (error) {
    rmSync(dir, { recursive: true });
    throw error;
  }
}

function tmpfs(dir: string): SmallDisk {
  const filler = join(dir, "filler");
  return {
    way: "tmpfs",
    dir,
    under: [],
    fill: () => writeUntilFull(filler),
    free: () => rmSync(filler),
    freeLittle: () => truncateSync(filler, Math.max(0, statSync(filler).size - LITTLE_BYTES)),
    remove() {
      run("umount", "--lazy", dir);
      rmSync(dir, { recursive: true });
    },
  };
}

/** Each write above the limit fails, as on a full disk. */
function fileSizeLimit(dir: string): SmallDisk {
  mkdirSync(dir, { recursive: true });
  const limit = (pid: number, bytes: string): void => run("prlimit", "--pid", String(pid), `--fsize=${bytes}:`);
  return {
    way: "file size limit",
    dir,
    under: ["prlimit", "--fsize=1:"],
    fill: (pid) => limit(pid, "1"),
    free: (pid) => limit(pid, "unlimited"),
    freeLittle: (pid) => limit(pid, "unlimited"),
    remove: () => rmSync(dir, { recursive: true }),
  };
}

function writeUntilFull(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = FILLER_PIECE.length; size >= 1;) {
      if (reasonAgainst(() => void writeSync(file, FILLER_PIECE, 0, size)) !== undefined) size = Math.floor(size / 2);
    }
  } finally {
    closeSync(file);
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}

function reasonAgainst(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
  }
}
