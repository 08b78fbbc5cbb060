/** Links and statements about a key, with its scope. */
import { expect, test } from "vitest";
import { keyHref, keyId, whereKey } from "../../../ui/model/key-name.ts";
import { parseRoute } from "../../../ui/model/route.ts";

const plain = { service: "Cart", key: "a/b", scope: undefined };
const scoped = { ...plain, scope: "t1" };

test.each([plain, scoped])("the link to the key %o leads to it", (name) => {
  const found = parseRoute(keyHref(name))!;
  expect([...found.rest, found.query.get("scope") ?? undefined]).toEqual(["Cart", "a/b", name.scope]);
});

test("a key in a scope is another one than the key in none", () => {
  expect(keyId(plain)).not.toBe(keyId(scoped));
  expect(whereKey(plain)).toBe("service_name = 'Cart' and service_key = 'a/b' and scope is null");
  expect(whereKey(scoped, "target_service")).toBe(
    "target_service_name = 'Cart' and target_service_key = 'a/b' and scope = 't1'",
  );
});
