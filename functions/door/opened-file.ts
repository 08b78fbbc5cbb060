/** Reads a small file of a directory that other users may be able to write, and says whether it is this user's own. */
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

export interface OpenedFile {
  /** Without spaces around it, and cut to 4 KiB. */
  readonly text: string;
  readonly owner: number;
  /** Whether the file is this user's own, and users outside of its group could neither read nor write it. */
  readonly isSecret: boolean;
}

/** The superuser reads the files of every user. */
const SUPERUSER = 0;
const OTHERS = 0o007;
const TEXT_MAX_BYTES = 4_096;
/** Follows no link, and does not wait for the writer of a pipe. Windows has neither flag. */
const CAREFULLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Examines the file that it reads: the name may lead to another file a moment later.
 * @param mode the mode that the file gets, if it is this user's own
 * @returns `foreign` for a file of another user, for what is no file, and for a file that cannot be read
 */
export async function openedFile(path: string, mode?: number): Promise<OpenedFile | "absent" | "foreign"> {
  const file = await open(path, CAREFULLY).catch(({ code }: NodeJS.ErrnoException) => code);
  if (typeof file !== "object") return file === "ENOENT" ? "absent" : "foreign";
  try {
    return await contentOf(file, await file.stat(), mode);
  } catch {
    return "foreign";
  } finally {
    await file.close();
  }
}

async function contentOf(file: FileHandle, stat: Stats, mode: number | undefined): Promise<OpenedFile | "foreign"> {
  const user = process.getuid?.() ?? stat.uid;
  const isOwn = stat.uid === user;
  if (!stat.isFile() || (!isOwn && user !== SUPERUSER)) return "foreign";
  if (isOwn && mode !== undefined) await file.chmod(mode);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_MAX_BYTES), 0, TEXT_MAX_BYTES, 0);
  const isHidden = (stat.mode & OTHERS) === 0 || process.platform === "win32";
  return { text: buffer.toString("utf8", 0, bytesRead).trim(), owner: stat.uid, isSecret: isOwn && isHidden };
}
