/**
 * Warns if other users of the machine have access to the data directory, which stores inputs, results, headers and the secret
 * in clear text.
 */
import { statSync } from "node:fs";
import type { Log } from "../engine/ports/log.ts";

const GROUP_AND_OTHERS = 0o077;

/** A new directory is readable by its owner alone; an existing one keeps its mode, because other programs may rely on it. */
export function warnWhereReadable(directory: string, log: Log): void {
  // Windows does not use these permission bits.
  if (process.platform === "win32" || (statSync(directory).mode & GROUP_AND_OTHERS) === 0) return;
  log.write("data-directory.exposed", {
    directory,
  });
}
