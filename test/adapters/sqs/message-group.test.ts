/** Tests message groups for service names: valid names stay unchanged, others are hashed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { messageGroup } from "../../../shared/adapters/sqs/sqs-queue.ts";

test.each(["Greeter", "shop.orders-v2_b", "a/b:c", "x".repeat(128), "`~!@#$%^&*()"])(
  "%s is its own group",
  (service) => {
    expect(messageGroup(service)).toBe(service);
  },
);

test("any name gives a valid and stable group", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (service) => {
      const group = messageGroup(service);
      expect(group).toMatch(/^[!-~]{1,128}$/);
      expect(messageGroup(service)).toBe(group);
      expect(messageGroup(group)).toBe(group);
    }),
  );
});

test("invalid names have distinct groups", () => {
  const odd = ["", " ", "näme", "a name", "x".repeat(129), "x".repeat(130), "\u0000", "\n"];
  expect(new Set(odd.map(messageGroup)).size).toBe(odd.length);
});
