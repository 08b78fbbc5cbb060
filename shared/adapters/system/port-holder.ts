/** Finds the process that listens on a port of this machine, by the files that Linux shows in `/proc`. */
import { readFile, readdir, readlink } from "node:fs/promises";
import { basename } from "node:path";

/** The state of a listening socket in `/proc/net/tcp` and `/proc/net/tcp6`. */
const LISTENING = "0A";
/** The limit of the whole search, because the error about a busy port waits for the search. */
const TIME_MAX_MS = 500;
const PROCESSES_MAX = 10_000;
const FILES_MAX = 10_000;
const NAME_MAX_CHARACTERS = 60;

/**
 * Shows no argument but the name of a script, because arguments may be secrets.
 * @returns a text such as `process 4711 (node server.js)` or `this process`; undefined if the system does not show the process
 */
export async function portHolder(port: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIME_MAX_MS);
  try {
    const sockets = new Set<string>();
    for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
      for (const inode of listeningInodes(await readFile(table, { encoding: "utf8", signal }).catch(() => ""), port))
        sockets.add(`socket:[${inode}]`);
    if (sockets.size === 0) return undefined;
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).slice(0, PROCESSES_MAX);
    for (const pid of pids) {
      if (signal.aborted) return undefined;
      if (await hasOpen(pid, sockets, signal))
        return pid === String(process.pid) ? "this process" : `process ${pid} (${await nameOf(pid)})`;
    }
  } catch {
    // A process may end during the search. The error about the busy port then names only the port.
  }
  return undefined;
}

/** @param table lines of `sl local_address rem_address st … inode`, with the port of an address in hexadecimal digits */
export function listeningInodes(table: string, port: number): readonly string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const inodes: string[] = [];
  for (const line of table.split("\n")) {
    const words = line
      .trim()
      .split(" ")
      .filter((word) => word !== "");
    if (words[3] === LISTENING && words[1]?.endsWith(ending) === true && words[9] !== undefined) inodes.push(words[9]);
  }
  return inodes;
}

/** False also for a process of another user, because the system does not show the files of such a process. */
async function hasOpen(pid: string, sockets: ReadonlySet<string>, signal: AbortSignal): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  for (const file of files.slice(0, FILES_MAX)) {
    if (signal.aborted) return false;
    if (sockets.has(await readlink(`${folder}/${file}`).catch(() => ""))) return true;
  }
  return false;
}

async function nameOf(pid: string): Promise<string> {
  const [program = "", script = ""] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
  const isScript = /\.(?:[cm]?[jt]s|py|rb|jar)$/.test(script);
  const name = [basename(program), ...(isScript ? [basename(script)] : [])].join(" ");
  return name.replaceAll(/[^\w ./@+()-]/g, "?").slice(0, NAME_MAX_CHARACTERS);
}
