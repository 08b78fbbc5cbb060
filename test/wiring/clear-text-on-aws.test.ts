/** Functions on AWS send requests in clear text only to addresses that an operator has named. */
import { createServer } from "node:net";
import { onTestFinished, test, expect } from "vitest";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { awsHttpsEndpoints } from "../../shared/wiring/aws-ports.ts";
import { echo, startPeer, startServer } from "../harness/https/peer.ts";
import { readAll, reasonOf, requestTo } from "../contracts/endpoints-contract.ts";

function awsWith(allowed?: string): HttpsEndpoints {
  const endpoints = awsHttpsEndpoints({
    "aws.allowed-addresses": allowed,
    "worker.invoker.connect-timeout": 2_000,
  });
  onTestFinished(() => endpoints.close());
  return endpoints;
}

test.each(["http://1.1.1.1/", "http://[2606:4700:4700::1111]/", "http://[::ffff:101:101]:9080/"])(
  "%s is refused, and the refusal names the remedy",
  async (uri) => {
    for (const version of ["h2 in the clear", "http1.1 in the clear"] as const) {
      const head = awsWith().open(requestTo(uri, version)).head();
      expect(await reasonOf(head)).toBe("forbidden");
      await expect(head).rejects.toThrow(
        /public address .+ without TLS.+https:\/\/, or name the address in the setting aws\.allowed-addresses\.$/,
      );
    }
    expect(await reasonOf(awsWith("private,10.0.0.0/8").open(requestTo(uri, "h2 in the clear")).head())).toBe(
      "forbidden",
    );
  },
);

test("a host name with a public address is refused in clear text, but not over TLS", async () => {
  const peer = await startServer(createServer((socket) => socket.destroy()));
  onTestFinished(() => peer.stop());
  const dialled: string[] = [];
  const endpoints = new HttpsEndpoints({
    isClearGuarded: true,
    connectTimeoutMs: 200,
    resolve: (hostname) => {
      dialled.push(hostname);
      return Promise.resolve([
        { address: "192.0.0.9", family: 4 },
        { address: "1.1.1.1", family: 4 },
      ]);
    },
  });
  onTestFinished(() => endpoints.close());
  const clear = endpoints.open(requestTo("http://shop.example/", "h2 in the clear")).head();
  expect(await reasonOf(clear)).toBe("forbidden");
  await expect(clear).rejects.toThrow("shop.example is at a public address (1.1.1.1)");
  const secure = endpoints.open(requestTo("https://shop.example/", "h2 over TLS")).head();
  expect(await reasonOf(secure)).not.toBe("forbidden");
  expect(dialled).toEqual(["shop.example", "shop.example"]);
});

test("a named address gets requests in clear text", async () => {
  const peer = await startPeer("h2 in the clear", echo);
  onTestFinished(() => peer.stop());
  const request = requestTo(`http://127.0.0.1:${peer.port}`, "h2 in the clear", { body: [Buffer.from("ok")] });
  for (const allowed of ["loopback", "10.0.0.0/8, 127.0.0.1/32"]) {
    expect((await readAll(awsWith(allowed).open(request))).toString()).toBe("ok");
  }
});

test("the local process connects to public addresses in clear text", async () => {
  const endpoints = new HttpsEndpoints({ allow: ["loopback", "private"], connectTimeoutMs: 200 });
  onTestFinished(() => endpoints.close());
  expect(await reasonOf(endpoints.open(requestTo("http://1.1.1.1/", "h2 in the clear")).head())).not.toBe("forbidden");
});
