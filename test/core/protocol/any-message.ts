/** Generates arbitrary values of a message type. */
import { LAST_MOMENT_MS } from "../../../shared/core/model/moment.ts";
import fc from "fast-check";
import type { MessageType, NamedField } from "../../../shared/core/model/proto3.ts";

type Value = Record<string, unknown>;
const DEPTH_MAX = 4;

export function anyMessage(type: MessageType<unknown>, depth = 0): fc.Arbitrary<Value> {
  const groups = new Set(type.fields.map((field) => field.groupBit).filter((bit) => bit !== 0));
  const alone = type.fields.filter((field) => field.groupBit === 0);
  const parts: fc.Arbitrary<Value>[] = alone.map((field) => {
    const one = anyContent(field, depth).map((content): Value => ({ [field.name]: content }));
    return field.presence === "optional" ? fc.oneof(fc.constant({}), one) : one;
  });
  for (const group of groups) {
    const rivals = type.fields.filter((field) => field.groupBit === group);
    const choices = rivals.map((field) =>
      anyContent(field, depth).map((content): Value => ({ [field.name]: content })),
    );
    parts.push(fc.oneof(fc.constant({}), ...choices));
  }
  return fc.tuple(...parts).map((members) => Object.assign({}, ...members) as Value);
}

function anyContent(field: NamedField, depth: number): fc.Arbitrary<unknown> {
  if (field.presence === "repeated") {
    const deepest = field.kind === "message" && depth >= DEPTH_MAX;
    return deepest ? fc.constant([]) : fc.array(anyOne(field, depth), { maxLength: 3 });
  }
  return anyOne(field, depth);
}

function anyOne(field: NamedField, depth: number): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "uint32":
      return fc.oneof(fc.nat(300), fc.nat(0xffffffff));
    case "uint53":
      return fc.oneof(fc.nat(300), fc.maxSafeNat());
    case "moment":
      return fc.oneof(fc.nat(300), fc.maxSafeNat()).map((atMs) => Math.min(atMs, LAST_MOMENT_MS));
    case "uint64":
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case "bool":
      return fc.boolean();
    case "string":
      return fc.oneof(fc.string({ unit: "binary" }), fc.string({ minLength: 100, maxLength: 200 }));
    case "bytes":
      return fc.uint8Array({ maxLength: 200 });
    case "enumeration":
      return fc.oneof(fc.nat(5), fc.nat(0x7fffffff));
    case "message":
      return anyMessage(field.submessage!(), depth + 1);
  }
}
