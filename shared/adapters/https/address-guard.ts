/** Decides which network addresses a deployment may have, so that a registered URI cannot reach Stepwell's own network. */
import { BlockList, isIP } from "node:net";

/** `loopback` and `private` name whole families of ranges; any other text is one range, such as `10.4.0.0/16`. */
export type AddressAllowance = "loopback" | "private" | (string & {});

/** The forbidden ranges by name. A refusal gives the name of the first match. */
const FORBIDDEN: readonly (readonly [name: string, ranges: readonly string[]])[] = [
  [
    "metadata service",
    ["169.254.169.254/32", "fd00:ec2::/32", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32"],
  ],
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["unspecified", ["0.0.0.0/8", "::/128"]],
  ["multicast", ["224.0.0.0/4", "ff00::/8"]],
  ["carrier-grade NAT", ["100.64.0.0/10"]],
  ["reserved", ["192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"]],
  ["reserved", ["192.88.99.0/24", "2001::/23", "2001:db8::/32", "3fff::/20"]],
];

const LISTS = FORBIDDEN.map(([name, ranges]) => ({ name, list: blockListOf(ranges) }));

export class AddressGuard {
  readonly #families: ReadonlySet<string>;
  readonly #ranges: BlockList;

  /** @throws RangeError if an allowance is neither a family nor a range */
  constructor(allow: readonly AddressAllowance[] = []) {
    const isFamily = (one: string): boolean => one === "loopback" || one === "private";
    this.#families = new Set(allow.filter(isFamily));
    this.#ranges = blockListOf(allow.filter((one) => !isFamily(one)));
  }

  /**
   * The reason why the address is forbidden; undefined when it is allowed.
   * @param address a literal IPv4 or IPv6 address, with or without a zone
   */
  refusal(address: string): string | undefined {
    const { kind, isNamed } = this.#judged(address);
    return isNamed ? undefined : kind;
  }

  /**
   * True if an allowance covers the address. `refusal` lets public addresses pass without one; a caller can require one for
   * requests without TLS.
   */
  isNamed(address: string): boolean {
    return this.#judged(address).isNamed;
  }

  #judged(address: string): { readonly kind: string | undefined; readonly isNamed: boolean } {
    const bare = address.replace(/%.*/, "");
    if (isIP(bare) === 0) return { kind: "not an address", isNamed: false };
    const embedded = isIP(bare) === 6 ? embeddedIpv4(bare) : undefined;
    // A connection to the IPv6 address reaches the embedded IPv4 address, so the guard judges the IPv4 address.
    const judged = embedded ?? bare;
    const match = LISTS.find(({ list }) => isIn(list, judged));
    const kind = match?.name ?? (isIP(judged) === 6 && !isGivenOut(judged) ? "reserved" : undefined);
    const isInRange = isIn(this.#ranges, judged) || isIn(this.#ranges, bare);
    return { kind, isNamed: isInRange || (kind !== undefined && this.#families.has(kind)) };
  }
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** True within 2000::/3, the only IPv6 range that is allocated to the public. */
function isGivenOut(address: string): boolean {
  return (groupsOf(address)[0] ?? 0) >> 13 === 1;
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = "", ...more] = range.split("/");
    const version = isIP(address);
    const bitsMax = version === 6 ? 128 : 32;
    if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax) {
      throw new RangeError(`"${range}" is not an address range such as 10.4.0.0/16 or fd12::/32.`);
    }
    list.addSubnet(address, Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/** The IPv4 address inside a mapped, compatible, NAT64 or 6to4 address. */
function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const leading = groups.slice(0, 6).join(":");
  const last = [groups[6] ?? 0, groups[7] ?? 0] as const;
  const isCompatible = leading === "0:0:0:0:0:0" && (last[0] !== 0 || last[1] > 1);
  const isMapped = leading === "0:0:0:0:0:65535" || leading === "0:0:0:0:65535:0";
  const isNat64 = leading === `${0x64}:${0xff9b}:0:0:0:0`;
  if (isCompatible || isMapped || isNat64) return dotted(last[0], last[1]);
  if (groups[0] === 0x2002) return dotted(groups[1] ?? 0, groups[2] ?? 0);
  return undefined;
}

/** The eight 16-bit groups. The URL parser converts every spelling, also the dotted one, to hexadecimal groups. */
function groupsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [front = "", back] = plain.split("::");
  const parse = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const before = parse(front);
  const after = parse(back ?? "");
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
