/** The door of the local admin API: who may send which requests. */
import { resolve } from "node:path";
import type { Settings } from "../../shared/config/settings-table.ts";
import { doorForOwnHosts } from "../door/own-host.ts";
import { doorOf } from "../door/door.ts";
import type { Door, Knock } from "../door/door.ts";
import { TOKEN_FILE } from "../door/admin-files.ts";

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/**
 * Supervisors of a process have no token, and these answers say only whether it runs and takes work. The files of the web UI are the same for
 * everyone, and a page without a session says how to sign in.
 */
const OPEN_PATH =
  /^(?:\/(?:v\d{1,3}\/)?(?:health|ready)|\/|\/ui|\/ui\/[\w.-]{0,100}|\/ui\/[\w-]{1,50}\/[\w.%-]{1,500})$/;

/**
 * @param token undefined if the setting admin.auth is off
 * @param isLoopback whether the port is bound to a loopback address
 */
export function adminDoor(settings: Settings, token: string | undefined, isLoopback: () => boolean): Door {
  const hosts = doorForOwnHosts(settings["admin.allowed-hosts"], isLoopback);
  if (token === undefined) return hosts;
  const tokens = doorOf({
    token,
    nowMs: () => Date.now(),
    isOpen,
    isPageFile: () => false,
    whereTokenIs: `it is the content of ${resolve(settings["data-dir"], TOKEN_FILE)} on the server's machine`,
  });
  return (knock) => hosts(knock) ?? tokens(knock);
}

function isOpen({ method, path }: Knock): boolean {
  return READING.has(method) && OPEN_PATH.test(path);
}
