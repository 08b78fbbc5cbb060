/** Decides which addresses and host names belong to this machine. */
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** @param address an IP address; an IPv4 address that is mapped into IPv6 counts as the IPv4 address */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && LOOPBACK.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** Whether every address of the host is a loopback address: the system may resolve even `localhost` to another address. */
export async function isLoopbackHost(host: string): Promise<boolean> {
  const addresses = await addressesOf(host);
  return addresses.length > 0 && addresses.every(isLoopbackAddress);
}

/** Whether an address of the host belongs to this machine. */
export async function isOwnHost(host: string): Promise<boolean> {
  const own = new Set(Object.values(networkInterfaces()).flatMap((ones = []) => ones.map(({ address }) => address)));
  return (await addressesOf(host)).some((address) => isLoopbackAddress(address) || own.has(address));
}

/** @returns nothing for an unknown name */
async function addressesOf(host: string): Promise<readonly string[]> {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0) return [bare];
  const found = await lookup(bare, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
