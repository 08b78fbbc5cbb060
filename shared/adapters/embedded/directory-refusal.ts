/**
 * Distinguishes an error of the operating system about a directory from damage of the store in that directory: by the error
 * code, or by the text of LevelDB.
 */

export type DirectoryRefusal =
  /** For instance no permission, a read-only file system, an error of the disk, or too many open files. */
  | "inaccessible"
  /** A file is where a directory should be. */
  | "not-a-directory"
  /** No space is left, or the quota is used up. */
  | "full";

const BY_NUMBER: Readonly<Record<string, DirectoryRefusal>> = {
  EACCES: "inaccessible",
  EPERM: "inaccessible",
  EROFS: "inaccessible",
  EIO: "inaccessible",
  EMFILE: "inaccessible",
  ENFILE: "inaccessible",
  EBUSY: "inaccessible",
  ELOOP: "inaccessible",
  ENAMETOOLONG: "inaccessible",
  // A recursive mkdir fails with this code if a link leads nowhere.
  ENOENT: "inaccessible",
  ENOTDIR: "not-a-directory",
  // A recursive mkdir fails with this code if its path is a file.
  EEXIST: "not-a-directory",
  ENOSPC: "full",
  EDQUOT: "full",
  // The file would exceed this process's limit for the size of one file.
  EFBIG: "full",
};

/** LevelDB passes on only the system's text, at the end of its message. */
const BY_TEXT: readonly (readonly [RegExp, DirectoryRefusal])[] = [
  [/: (?:Permission denied|Operation not permitted|Read-only file system|Input\/output error)$/, "inaccessible"],
  [/: Too many open files(?: in system)?$/, "inaccessible"],
  [/: Not a directory$/, "not-a-directory"],
  [/: (?:No space left on device|Disk quota exceeded|File too large)$/, "full"],
];

/** The number of errors that are examined: an error, its cause, and the cause of this cause. */
const DEPTH_MAX = 3;

/** @returns undefined if the error does not come from the operating system; the store may be damaged then */
export function directoryRefusal(error: unknown): DirectoryRefusal | undefined {
  let at = error;
  for (let depth = 0; depth < DEPTH_MAX && at instanceof Error; depth++, at = at.cause) {
    const { message } = at;
    const number = "code" in at && typeof at.code === "string" ? BY_NUMBER[at.code] : undefined;
    const found = number ?? BY_TEXT.find(([text]) => text.test(message))?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
