/** Checks the address of each broker before a connection, also of brokers that another broker has named. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Broker } from "@platformatic/kafka";

/** @returns why connections to the address are forbidden; undefined if they are allowed */
export type AddressRefusal = (address: string) => string | undefined;

/** @throws Error if the host has a forbidden address, or no address */
export async function assertAllowed({ host }: Broker, refusalOf: AddressRefusal): Promise<void> {
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  for (const address of addresses) {
    const reason = refusalOf(address);
    if (reason !== undefined)
      throw new Error(`the broker ${host} has the address ${address} (${reason}), to which Stepwell does not connect`);
  }
}
