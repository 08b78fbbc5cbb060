/** Tests that a shown address has no credentials or secrets, in any form. */
import { expect, test } from "vitest";
import { addressOf, shownUri } from "../../../shared/core/model/deployment.ts";

test.each([
  ["http://127.0.0.1:9080/", "http://127.0.0.1:9080/"],
  ["https://a.example/b/@c/d;e=f", "https://a.example/b/@c/d;e=f"],
  ["https://ada:canary@a.example/", "https://***@a.example/"],
  ["https://ada:can@ary@a.example/b@c", "https://***@a.example/b@c"],
  ["ada:canary@a.example:9080", "ada:***@a.example:9080"],
  ["//ada:canary@a.example", "//***@a.example"],
  ["http:\\\\ada:canary@a.example\\x", "http:\\\\***@a.example\\x"],
  ["http:///ada:canary@a.example", "http:///***@a.example"],
  ["https://a.example/?code=canary", "https://a.example/?code=***"],
  ["https://a.example?canary", "https://a.example?***"],
  ["https://a.example/?a=canary=&canary&b=", "https://a.example/?a=***&***&b="],
  ["https://a.example/?a=can?ary&b=can/ary@canary", "https://a.example/?a=***&b=***"],
  ["https://a.example/#canary&x=canary?y=canary", "https://a.example/#***"],
  ["https://a.example/?a=canary#b=can\nary", "https://a.example/?a=***#***"],
  ["", ""],
])("%j is shown as %j", (uri, shown) => {
  expect(shownUri(uri)).toBe(shown);
  expect(shownUri(shown)).toBe(shown);
  expect(addressOf({ uri })).toBe(shown);
});

test("an ARN is shown unchanged", () => {
  const arn = "arn:aws:lambda:eu-west-1:123456789012:function:f:live";
  expect(addressOf({ arn })).toBe(arn);
});
