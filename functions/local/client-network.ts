/** Tells the clients of a listener apart by their addresses. */
import { isIPv4, isIPv6 } from "node:net";
import { isLoopbackAddress } from "../door/loopback.ts";

const MAPPED = /^::ffff:([\d.]+)$/i;
/** One host has all addresses of a network of IPv6, whose prefix has half of the bits. */
const PREFIX_GROUPS = 4;
const GROUPS = 8;

/** @returns one text for all addresses that one client may have: this machine, an address of IPv4, a network of IPv6 */
export function networkOf(address = ""): string {
  const [bare = ""] = address.split("%", 1);
  const ip = MAPPED.exec(bare)?.[1] ?? bare;
  if (isLoopbackAddress(ip)) return "this machine";
  return isIPv4(ip) || !isIPv6(ip) ? ip : prefixOf(ip);
}

function prefixOf(ip: string): string {
  const [start = "", end] = ip.split("::");
  const before = start.split(":").filter((group) => group !== "");
  const after = (end ?? "").split(":").filter((group) => group !== "");
  const zeros = end === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...after];
  return groups
    .slice(0, PREFIX_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
