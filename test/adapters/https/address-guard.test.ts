/** Tests which addresses are refused, and which name of a forbidden range, such as `loopback`, each refusal gives. */
import { describe, expect, test } from "vitest";
import { AddressGuard } from "../../../shared/adapters/https/address-guard.ts";

const strict = new AddressGuard();

describe("with nothing allowed", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["::ffff:0:127.0.0.1", "loopback"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["2002:7f00:1::", "loopback"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["fd12:3456::1", "private"],
    ["fc00::", "private"],
    ["::ffff:10.1.2.3", "private"],
    ["64:ff9b::a00:1", "private"],
    ["169.254.169.254", "metadata service"],
    ["::ffff:169.254.169.254", "metadata service"],
    ["2002:a9fe:a9fe::1", "metadata service"],
    ["fd00:ec2::254", "metadata service"],
    ["100.100.100.200", "metadata service"],
    ["169.254.0.1", "link-local"],
    ["169.254.170.2", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf::1", "link-local"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["::", "unspecified"],
    ["::ffff:0.0.0.0", "unspecified"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["ff02::1", "multicast"],
    ["100.64.0.1", "carrier-grade NAT"],
    ["100.127.255.255", "carrier-grade NAT"],
    ["255.255.255.255", "reserved"],
    ["240.0.0.1", "reserved"],
    ["192.0.0.8", "reserved"],
    ["198.18.0.1", "reserved"],
    ["2001:db8::1", "reserved"],
    ["2001:0:4136:e378::1", "reserved"],
    ["64:ff9b:1::1", "reserved"],
    ["fec0::1", "reserved"],
    ["192.88.99.1", "reserved"],
    ["2001:1ff::1", "reserved"],
    ["3fff::1", "reserved"],
    ["5f00::1", "reserved"],
    ["4000::1", "reserved"],
    ["fbff::1", "reserved"],
    ["1fff::1", "reserved"],
    ["::1:0:0:0", "reserved"],
    ["168.63.129.16", "metadata service"],
    ["fd20:ce::254", "metadata service"],
    ["64:ff9b::168.63.129.16", "metadata service"],
    ["localhost", "not an address"],
    ["", "not an address"],
    ["127.1", "not an address"],
  ])("%s is refused as %s", (address, name) => {
    expect(strict.refusal(address)).toBe(name);
  });

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "169.253.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "223.255.255.255",
    "2600:1f18::1",
    "2606:4700:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
    "2001:200::1",
    "3ffe::1",
  ])("%s may be reached", (address) => {
    expect(strict.refusal(address)).toBeUndefined();
  });
});

describe("with allowances", () => {
  test("the allowances loopback and private cover IPv4 and IPv6, and neither covers the metadata service", () => {
    const local = new AddressGuard(["loopback", "private"]);
    for (const address of ["127.0.0.1", "::1", "10.0.0.1", "fd12::1", "::ffff:192.168.0.1"]) {
      expect(local.refusal(address)).toBeUndefined();
    }
    for (const address of ["169.254.169.254", "fd00:ec2::254", "0.0.0.0", "fe80::1", "100.64.0.1"]) {
      expect(local.refusal(address)).toBeDefined();
    }
    expect(new AddressGuard(["loopback"]).refusal("10.0.0.1")).toBe("private");
  });

  test("a range allows its addresses in every spelling, and no other address", () => {
    const ranged = new AddressGuard(["10.4.0.0/16", "fd12:3456::/32"]);
    expect(ranged.refusal("10.4.255.1")).toBeUndefined();
    expect(ranged.refusal("::ffff:10.4.0.1")).toBeUndefined();
    expect(ranged.refusal("fd12:3456::9")).toBeUndefined();
    expect(ranged.refusal("10.5.0.1")).toBe("private");
    expect(ranged.refusal("fd12:3457::9")).toBe("private");
  });

  test.each([
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0/8",
    "fd00::/129",
    "everything",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0.0/-1",
  ])("an allowance of %s is refused", (allowance) => {
    expect(() => new AddressGuard([allowance])).toThrow(RangeError);
  });
});
