/** Tests destinations that must be refused, in many spellings. */
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpsEndpoints, type HttpsEndpointsOptions } from "../../../shared/adapters/https/https-endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import { echo, startPeer, startServer, testCa, type Peer } from "../../harness/https/peer.ts";

let peer: Peer;
beforeEach(async () => {
  // A bare TCP listener counts every connection.
  peer = await startServer(createServer((socket) => socket.destroy()));
});
afterEach(() => peer.stop());

const guarded: HttpsEndpoints[] = [];
function endpointsWith(options: HttpsEndpointsOptions = {}): HttpsEndpoints {
  const made = new HttpsEndpoints(options);
  guarded.push(made);
  return made;
}
afterEach(() => guarded.splice(0).forEach((one) => one.close()));

const resolvingTo =
  (...addresses: string[]) =>
  (): Promise<{ address: string; family: number }[]> =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));

describe("literal addresses", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:0001::]",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "10.0.0.1",
    "192.168.0.1",
    "100.64.0.1",
  ])("http://%s/ is forbidden over both protocols", async (host) => {
    const endpoints = endpointsWith({ resolve: () => Promise.reject(new Error("no name is to be looked up")) });
    const uri = `http://${host}:${peer.port}/`;
    expect(await reasonOf(endpoints.open(requestTo(uri, "h2 in the clear")).head())).toBe("forbidden");
    expect(await reasonOf(endpoints.open(requestTo(uri, "http1.1 in the clear")).head())).toBe("forbidden");
    expect(peer.connections()).toBe(0);
  });

  test("the refusal names the address and the reason", async () => {
    const head = endpointsWith().open(requestTo("http://169.254.169.254/", "h2 in the clear")).head();
    await expect(head).rejects.toThrow("169.254.169.254 is a forbidden address (metadata service).");
  });

  test("the refusal of a private, loopback or carrier-grade NAT address names the setting that allows it, and no other refusal does", async () => {
    const told = async (host: string) => {
      const endpoints = endpointsWith({ allowedBy: "aws.allowed-addresses" });
      const head = endpoints.open(requestTo(`http://${host}/`, "h2 in the clear")).head();
      return await head.then(String, (error: Error) => error.message);
    };
    for (const host of ["10.1.2.3", "192.168.0.1", "127.0.0.1", "100.64.0.1"]) {
      expect(await told(host)).toMatch(/forbidden address \(.+\)\. The setting aws\.allowed-addresses can allow it\.$/);
    }
    for (const host of ["169.254.169.254", "0.0.0.0", "224.0.0.1"]) {
      expect(await told(host)).toMatch(/forbidden address \([^)]+\)\.$/);
    }
  });
});

describe("names", () => {
  test.each(["localhost", "LOCALHOST"])("%s, resolved by the system, is forbidden", async (name) => {
    const uri = `http://${name}:${peer.port}/`;
    expect(await reasonOf(endpointsWith().open(requestTo(uri, "http1.1 in the clear")).head())).toBe("forbidden");
    expect(peer.connections()).toBe(0);
  });

  test.each([["127.0.0.1"], ["::1"], ["10.0.0.1", "192.168.0.1"], ["::ffff:169.254.169.254"], ["fe80::1%lo"]])(
    "a name that resolves to %s is forbidden in the clear and over TLS",
    async (...addresses) => {
      const endpoints = endpointsWith({ resolve: resolvingTo(...addresses) });
      for (const scheme of ["http", "https"]) {
        const uri = `${scheme}://innocent.example:${peer.port}/`;
        const failure = endpoints.open(requestTo(uri, "h2 in the clear")).head();
        expect(await reasonOf(failure)).toBe("forbidden");
        await expect(failure).rejects.toThrow("innocent.example resolves to");
      }
      const destination = { uri: `https://innocent.example:${peer.port}/`, httpVersion: "negotiate" } as const;
      const negotiated = endpoints.open(requestTo("", "h2 over TLS", { destination }));
      expect(await reasonOf(negotiated.head())).toBe("forbidden");
      expect(peer.connections()).toBe(0);
    },
  );

  test("for a name with several addresses, the client connects only to an allowed one", async () => {
    const other = await startPeer("h2 in the clear", echo);
    const resolve = resolvingTo("10.0.0.1", "127.0.0.1", "169.254.169.254");
    const endpoints = endpointsWith({ allow: ["127.0.0.1/32"], resolve });
    const uri = `http://several.example:${other.port}`;
    const exchange = endpoints.open(requestTo(uri, "h2 in the clear", { body: [Buffer.from("ok")] }));
    expect((await readAll(exchange)).toString()).toBe("ok");
    await other.stop();
  });

  test("a name that moves to a forbidden address is refused at the next connection", async () => {
    const moving = await startPeer("http1.1 in the clear", (_request, response) => {
      response.writeHead(200, { connection: "close" }).end("ok");
    });
    let calls = 0;
    const endpoints = endpointsWith({
      allow: ["127.0.0.1/32"],
      resolve: () => resolvingTo((calls += 1) === 1 ? "127.0.0.1" : "127.0.0.2")(),
    });
    const request = requestTo(`http://moving.example:${moving.port}`, "http1.1 in the clear");
    expect((await readAll(endpoints.open(request))).toString()).toBe("ok");
    expect(await reasonOf(endpoints.open(request).head())).toBe("forbidden");
    expect(moving.connections()).toBe(1);
    await moving.stop();
  });

  test("a name that does not exist is unreachable, not forbidden", async () => {
    const resolve = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    const none = endpointsWith({ resolve: resolvingTo() });
    const uri = "http://nowhere.example/";
    expect(await reasonOf(endpointsWith({ resolve }).open(requestTo(uri, "h2 in the clear")).head())).toBe(
      "unreachable",
    );
    expect(await reasonOf(none.open(requestTo(uri, "h2 in the clear")).head())).toBe("unreachable");
  });
});

test("a URI with another scheme or without a scheme is unreachable", async () => {
  const endpoints = endpointsWith({ allow: ["loopback"], ca: testCa });
  for (const uri of ["ftp://127.0.0.1/", "file:///etc/passwd", "not a uri", ""]) {
    expect(await reasonOf(endpoints.open(requestTo(uri, "h2 in the clear")).head())).toBe("unreachable");
  }
});
