/** Tells where others of the machine can read a data directory: inputs, results, headers and the secret of ids lie in it as they are. */
import { statSync } from "node:fs";
import type { Log } from "../engine/ports/log.ts";

const GROUP_AND_OTHERS = 0o077;

/** A directory that was made here is the owner's alone; one that was there keeps its mode, since somebody may count on it. */
export function warnWhereReadable(directory: string, log: Log): void {
  // Permissions of Windows are others than these bits.
  if (process.platform === "win32" || (statSync(directory).mode & GROUP_AND_OTHERS) === 0) return;
  log.warn("others of this machine may read or write the data directory; take that away with chmod go-rwx", {
    directory,
  });
}
