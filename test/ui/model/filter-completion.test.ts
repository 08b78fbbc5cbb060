/** Tests the completions that the filter box offers for the token at the caret. */
import { expect, test } from "vitest";
import { completions, unfinished } from "../../../ui/model/filter-completion.ts";

const KNOWN = {
  services: [
    { name: "Cart", handlers: ["add", "pay"] },
    { name: "Greeter", handlers: ["greet"] },
  ],
  deployments: [{ id: "dp_1", address: "http://localhost:9080/" }],
};

function offered(text: string, caret = text.length): readonly string[] {
  return completions(text, caret, KNOWN).map(({ token }) => token);
}

test("an empty box offers the names of filters", () => {
  expect(offered("")).toEqual(expect.arrayContaining(["status:", "service:", "key:", "age:"]));
  expect(offered("status:paused se")).toEqual(["service:"]);
});

test.each([
  ["service:c", ["service:Cart"]],
  ["handler:", ["handler:add", "handler:pay", "handler:greet"]],
  ["service:Greeter handler:", ["handler:greet"]],
  ["status:paused,susp", ["status:paused,suspended"]],
  ["deployment:9080", ["deployment:dp_1"]],
  ["outcome:k", ["outcome:killed"]],
  ["created-b", ["created-before:"]],
  ["created-before:1", ["created-before:10m", "created-before:1h", "created-before:1d"]],
  ["nothing:", []],
])("%s offers %j", (text, tokens) => expect(offered(text)).toEqual(tokens));

test("the token at the caret is the one that is completed", () => {
  expect(offered("service:c status:open", 9)).toEqual(["service:Cart"]);
  expect(unfinished("service:c status:open", 9)).toEqual({ begin: 0, token: "service:c" });
  expect(unfinished('status:open key:"a b', 20)).toEqual({ begin: 12, token: 'key:"a b' });
});
