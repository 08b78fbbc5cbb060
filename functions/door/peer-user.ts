/** Finds the user of this machine who sends a request, by the tables of connections that Linux shows. */
import { readFileSync } from "node:fs";

/** Both ends of a connection, as a socket of the server has them. */
export interface Ends {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}

/** The loopback addresses as the tables write them: bytes in the order of the processor, in words of four bytes. */
const LOOPBACK_6 = "00000000000000000000000001000000";
const MAPPED = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i;

/** @returns the number of the user; undefined for another machine, and where the system does not show it */
export function peerUser({ remoteAddress = "", remotePort = 0, localPort = 0 }: Ends): number | undefined {
  const address = inTable(remoteAddress);
  if (address === undefined) return undefined;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const user = userIn(textOf(table), `${address}:${portInTable(remotePort)}`, portInTable(localPort));
    if (user !== undefined) return user;
  }
  return undefined;
}

/**
 * @param table lines of `sl local_address rem_address st tx:rx tr:when retrnsmt uid …`
 * @param from the client's end; in a table of IPv6 the address may have the prefix of mapped addresses
 * @param toPort the port of the server, in hexadecimal digits
 */
export function userIn(table: string, from: string, toPort: string): number | undefined {
  for (const line of table.split("\n")) {
    if (!line.includes(from)) continue;
    const [, local = "", remote = "", , , , , user = ""] = line.trim().split(/ +/);
    if (local.endsWith(from) && remote.endsWith(`:${toPort}`) && /^\d+$/.test(user)) return Number(user);
  }
  return undefined;
}

/** @returns undefined for an address that is not of this machine alone */
function inTable(address: string): string | undefined {
  if (address === "::1") return LOOPBACK_6;
  const bytes = MAPPED.exec(address)?.slice(1).map(Number);
  if (bytes === undefined || bytes[0] !== 127) return undefined;
  return bytes
    .toReversed()
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
    .join("");
}

function portInTable(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

function textOf(table: string): string {
  try {
    return readFileSync(table, "latin1");
  } catch {
    return "";
  }
}
