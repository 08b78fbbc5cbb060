/** Compares bytes with the protobuf library: both encoders write the same bytes, and both decoders read the same values. */
import fc from "fast-check";
import protobuf from "protobufjs";
import { expect, test } from "vitest";
import { decode } from "../../../shared/core/model/proto3-decode.ts";
import { encode } from "../../../shared/core/model/proto3-encode.ts";
import * as proto3 from "../../../shared/core/model/proto3.ts";
import type { MessageType, NamedField } from "../../../shared/core/model/proto3.ts";
import { MESSAGES } from "../../../shared/core/protocol/messages.ts";
import { anyMessage } from "../protocol/any-message.ts";

const Inner = proto3.message({ id: proto3.uint32(1), tags: proto3.repeated(proto3.string(2)) });
/** One field of each kind, and lists of each. */
const EveryKind = proto3.message({
  small: proto3.uint32(1),
  safe: proto3.uint53(2),
  big: proto3.uint64(3),
  flag: proto3.bool(4),
  text: proto3.string(5),
  raw: proto3.bytes(6),
  choice: proto3.enumeration(7),
  inner: proto3.submessage(8, () => Inner),
  numbers: proto3.repeated(proto3.uint32(9)),
  bigs: proto3.repeated(proto3.uint64(10)),
  flags: proto3.repeated(proto3.bool(11)),
  blobs: proto3.repeated(proto3.bytes(12)),
  inners: proto3.repeated(proto3.submessage(16, () => Inner)),
  maybe: proto3.optional(proto3.uint32(17)),
  left: proto3.oneof("side", proto3.string(2_047)),
  right: proto3.oneof("side", proto3.uint32(2_048)),
});

const LIBRARY_TYPES = { uint53: "uint64", moment: "uint64", enumeration: "int32" } as const;
const made = new Map<MessageType<unknown>, protobuf.Type>();
const root = new protobuf.Root();

/** The same message as a type of the library. */
function libraryType(type: MessageType<unknown>): protobuf.Type {
  const known = made.get(type);
  if (known !== undefined) return known;
  const own = new protobuf.Type(`M${made.size}`);
  made.set(type, own);
  root.add(own);
  for (const { name, number, kind, presence, submessage } of type.fields) {
    const named = kind === "message" ? libraryType(submessage!()).name : kind;
    const libraryName = named in LIBRARY_TYPES ? LIBRARY_TYPES[named as keyof typeof LIBRARY_TYPES] : named;
    const field = new protobuf.Field(name, number, libraryName, presence === "repeated" ? "repeated" : undefined);
    if (presence === "repeated" && kind !== "message" && kind !== "string" && kind !== "bytes")
      field.setOption("packed", true);
    own.add(field);
  }
  return own;
}

/** Without the plain fields whose value is zero: proto3 does not write them, but the library writes every member it gets. */
function forLibrary({ fields }: MessageType<unknown>, value: Readonly<Record<string, unknown>>): object {
  const kept = fields.flatMap((field) => {
    const { [field.name]: content } = value;
    if (content === undefined) return [];
    const isZero = content === field.zero || (content instanceof Uint8Array && content.length === 0);
    if (field.presence === "plain" && isZero) return [];
    return [[field.name, Array.isArray(content) ? content.map((one) => inner(field, one)) : inner(field, content)]];
  });
  return Object.fromEntries(kept) as object;
}

function inner({ kind, submessage }: NamedField, content: unknown): unknown {
  if (kind === "message") return forLibrary(submessage!(), content as Readonly<Record<string, unknown>>);
  if (kind === "uint64" || kind === "uint53") return String(content);
  return content;
}

const TYPES = new Map<string, MessageType<unknown>>([
  ["a message with every kind of field", EveryKind],
  ...MESSAGES.map(({ name, type }) => [name, type] as const),
]);

test.each([...TYPES])("%s has the same bytes and the same values as in the protobuf library", (_name, type) => {
  const library = libraryType(type);
  root.resolveAll();
  fc.assert(
    fc.property(anyMessage(type), (value) => {
      const bytes = encode(type, value as never);
      const theirs = library.encode(library.create(forLibrary(type, value))).finish();
      expect(Buffer.from(bytes).equals(Buffer.from(theirs))).toBe(true);
      expect(encode(type, decode(type, theirs) as never)).toEqual(bytes);
      expect(Buffer.from(library.encode(library.decode(bytes)).finish()).equals(Buffer.from(bytes))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
