/** Tests which addresses have the same recipient, and the identity of an address with many slashes. */
import { expect, test } from "vitest";
import type { DeploymentDestination } from "../../../shared/core/model/deployment.ts";
import { identityOf, recipientOf } from "../../../shared/core/registry/deployment-identity.ts";
import { computedMs } from "../../processor-time.ts";

const http = (uri: string): DeploymentDestination => ({ kind: "http", uri, httpVersion: "h2" });
const lambda = (arn: string): DeploymentDestination => ({ kind: "lambda", arn });
const SHOP = "arn:aws:lambda:eu-west-1:123456789012:function:shop";

test.each([
  [http("http://a.example/x"), http("http://A.example:80/y?z=1"), true],
  [http("https://a.example/"), http("https://a.example:443/"), true],
  [http("http://a.example:9080/"), http("https://a.example:9080/"), false],
  [http("http://a.example/"), http("http://a.example:9080/"), false],
  [http("http://a.example/"), http("http://b.example/"), false],
  [http("https://a.example/"), http("https://a.example.evil/"), false],
  [lambda(`${SHOP}:1`), lambda(`${SHOP}:$LATEST`), true],
  [lambda(`${SHOP}:live`), lambda(`${SHOP}s:live`), false],
  [lambda(`${SHOP}:1`), lambda(`${SHOP.replace("1234", "9234")}:1`), false],
  [lambda(`${SHOP}:1`), lambda(`${SHOP.replace("eu-west-1", "eu-west-2")}:1`), false],
])("%j and %j have one recipient: %s", (one, other, same) => {
  expect(recipientOf(one) === recipientOf(other)).toBe(same);
});

test("a path of four hundred thousand slashes is read with work in proportion to its length, and trailing slashes do not matter", () => {
  const startedMs = computedMs();
  const slashes = "/".repeat(400_000);
  expect(identityOf(http(`http://a.example/x${slashes}`))).toBe("a.example/x");
  expect(identityOf(http(`http://a.example/${slashes}x`))).toBe(`a.example/${slashes}x`);
  expect(computedMs() - startedMs).toBeLessThan(5_000);
});
