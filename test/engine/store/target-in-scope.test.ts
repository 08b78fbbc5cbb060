/** A scope is part of what names an invocation, and an invocation without one is stored as if there were no scopes. */
import { expect, test } from "vitest";
import type { Acceptance } from "../../../shared/core/invocation/acceptance.ts";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { type LimitKey, parseScope, type Scope } from "../../../shared/core/model/scope.ts";
import type { KeyOwner, Target } from "../../../shared/core/model/target.ts";
import { acceptanceItem, NO_LEASE, readAcceptance } from "../../../shared/engine/store/acceptance-record.ts";
import { objectAt, objectPk } from "../../../shared/engine/store/object-keys.ts";
import { targetAttributes, targetIn } from "../../../shared/engine/store/target-attributes.ts";

const id = "inv_1" as InvocationId;
const scope = parseScope("acme") as Scope;
const plain: Target = { service: "Counter", handler: "add", key: "k" };
const scoped: Target = { ...plain, scope };

function acceptanceOf(target: Target, limitKey?: LimitKey): Acceptance {
  return {
    id,
    nonce: "nonce" as Nonce,
    target,
    serviceType: "object",
    handlerType: "exclusive",
    input: new Uint8Array(0),
    headers: [],
    source: { kind: "ingress" },
    createdAtMs: 1,
    completionRetentionMs: 0,
    journalRetentionMs: 0,
    ...(limitKey !== undefined && { limitKey }),
  };
}

const stored = (acceptance: Acceptance) => acceptanceItem({ keyPrefix: "" }, acceptance, NO_LEASE, 1);

test.each([
  ["a scope and a limit key", acceptanceOf(scoped, "gold/eu" as LimitKey)],
  ["a scope", acceptanceOf(scoped)],
  ["neither", acceptanceOf(plain)],
])("an acceptance with %s is read as it was written", (_, acceptance) => {
  expect(readAcceptance(id, stored(acceptance)).acceptance).toEqual(acceptance);
});

test("an absent scope and an absent limit key take no bytes", () => {
  const sizeOf = (acceptance: Acceptance) => (stored(acceptance)["b"] as Uint8Array).length;
  // A tag and a length for the scope; the limit key is an attribute.
  expect(sizeOf(acceptanceOf(scoped, "gold/eu" as LimitKey))).toBe(sizeOf(acceptanceOf(plain)) + 6);
  expect(stored(acceptanceOf(plain))).toEqual({
    pk: "inv#inv_1",
    sk: "seg#000000",
    b: expect.any(Uint8Array),
    listPk: "list#0#0",
    listSk: "000000000000001#inv_1",
    n: "nonce",
    service: "Counter",
    handler: "add",
    objectKey: "k",
    expiresAtS: 1,
  });
});

test.each([
  plain,
  scoped,
  { ...scoped, key: "" },
  { service: "S", handler: "h", scope },
  { service: "S", handler: "h" },
])("lists read the target %o from the attributes of its items", (target) => {
  expect(targetIn({ pk: "", sk: "", ...targetAttributes(target) })).toEqual(target);
});

test.each([plain, scoped, { ...plain, key: "a#b@c" }, { ...scoped, key: "a#b@c" }, { ...scoped, key: "" }])(
  "the owner of a key is read from the partition of %o",
  ({ service, key, scope: within }) => {
    const owner: KeyOwner = { service, key: key!, ...(within && { scope: within }) };
    expect(
      objectAt(
        "p",
        objectPk("p", owner, (name) => name),
      ),
    ).toEqual(owner);
  },
);

test("a key in a scope shares its partition with no key in another scope, and with none that has no scope", () => {
  const other = parseScope("acme2") as Scope;
  const keys = ["k", "", "@acme#k", "acme#k", "#k", "Counter@acme#k"];
  const partitions = [undefined, scope, other].flatMap((one) =>
    keys.map((key) => objectPk("", { service: "Counter", key, ...(one && { scope: one }) }, (name) => name)),
  );
  expect(new Set(partitions).size).toBe(partitions.length);
  expect(objectPk("", plain, (name) => name)).toBe("obj#Counter#k");
});
