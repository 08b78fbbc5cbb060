/** Finds the token of a local admin API in its data directory, for the same user's commands. */
import { loadSettings } from "../../../shared/config/settings.ts";
import { readAdminFiles, type AdminFiles } from "../../door/admin-files.ts";
import { isLoopbackHost } from "../../door/loopback.ts";

/**
 * The token goes only to the address that the running process has noted beside it. `localhost` may also lead to `::1`, where another
 * user may listen on the same port, so the commands use the noted address.
 * @param asked the address of the admin API as the user gave it
 * @param dataDir the directory that a flag names; by default that of the settings of `stepwell dev`
 * @returns undefined if the address is not that of the process which uses the directory
 */
export async function localAdmin(asked: string, dataDir: string | undefined): Promise<AdminFiles | undefined> {
  const found = await readAdminFiles(dataDir ?? dataDirOfSettings());
  if (found === undefined) return undefined;
  const [wanted, noted] = [new URL(asked), new URL(found.url)];
  if (wanted.origin === noted.origin && wanted.pathname === "/") return found;
  const isSamePort = wanted.protocol === noted.protocol && wanted.port === noted.port && wanted.pathname === "/";
  const areLoopback = isSamePort && (await isLoopbackHost(wanted.hostname)) && (await isLoopbackHost(noted.hostname));
  return areLoopback ? found : undefined;
}

/** Settings that refuse the start of the server are no reason for another command to fail. */
function dataDirOfSettings(): string {
  try {
    return loadSettings(undefined, {}).settings["data-dir"];
  } catch {
    return "./.stepwell";
  }
}
