/** Describes proto3 messages by tables of fields, and derives TypeScript types from these tables. */

/** Bytes or values that do not fit the wire format: truncated, too large, nested too deep, or of the wrong type. */
export class Proto3Error extends Error {
  override name = "Proto3Error";
}

/** A message with more levels of sub-messages than `NESTING_MAX`. */
export class NestingError extends Proto3Error {}

/** The limit of the levels of sub-messages below a root, so that a hostile message cannot exhaust the stack. */
export const NESTING_MAX = 1000;

export type Scalar = "uint32" | "uint53" | "moment" | "uint64" | "bool" | "string" | "bytes" | "enumeration";

/**
 * How a field appears in a decoded message. If the wire lacks a `plain` field, its value is zero or empty. If it lacks an
 * `optional` field, the value is undefined. A `repeated` field is an array.
 */
export type Presence = "plain" | "optional" | "repeated";

export interface Field<T, P extends Presence> {
  readonly number: number;
  readonly kind: Scalar | "message";
  readonly presence: P;
  readonly group?: string;
  readonly submessage?: () => MessageType<unknown>;
  /** Never set: it only gives `Infer` the type of the value. */
  readonly valueType?: T;
}

/** A field for the encoder and the decoder. All have the same members in the same order, so that property access is fast. */
export interface NamedField {
  readonly name: string;
  readonly number: number;
  readonly kind: Scalar | "message";
  readonly presence: Presence;
  /** One bit per oneof of the message; 0 for a field outside of any oneof. */
  readonly groupBit: number;
  readonly submessage: (() => MessageType<unknown>) | undefined;
  /** The value of a plain field that is absent on the wire. */
  readonly zero: unknown;
  /** 0 for numbers; 2 for values with a length. Lists of numbers are packed, lists of other values are not. */
  readonly wire: 0 | 2;
  /** The other fields of the same oneof. Decoding this field clears them. */
  readonly rivals: readonly string[];
}

export interface MessageType<T> {
  readonly fields: readonly NamedField[];
  /** The fields by number. */
  readonly byNumber: readonly (NamedField | undefined)[];
  /** The initial value of a decoded message; its repeated fields are undefined. */
  readonly blank: Readonly<Record<string, unknown>>;
  readonly repeatedNames: readonly string[];
  /** Never set: it only gives `Infer` the type of the value. */
  readonly valueType?: T;
}

type Table = Readonly<Record<string, Field<unknown, Presence>>>;
type Of<F> = F extends Field<infer T, infer P> ? (P extends "repeated" ? readonly T[] : T) : never;
type OptionalNames<T extends Table> = { [K in keyof T]: T[K]["presence"] extends "optional" ? K : never }[keyof T];
type Flat<T> = { [K in keyof T]: T[K] };
type ValueOf<T extends Table> = Flat<
  { readonly [K in Exclude<keyof T, OptionalNames<T>>]: Of<T[K]> } & { readonly [K in OptionalNames<T>]?: Of<T[K]> }
>;

/** The type of a decoded message. The fields of a oneof are all optional, and at most one of them is set. */
export type Infer<M> = M extends MessageType<infer T> ? T : never;

/** The type of a message to encode: every field is optional, and an absent plain field means zero or empty. */
export type Draft<T> = T extends Uint8Array | string | number | bigint | boolean | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly Draft<E>[]
    : { readonly [K in keyof T]?: Draft<T[K]> | undefined };

export const uint32 = (number: number): Field<number, "plain"> => ({ number, kind: "uint32", presence: "plain" });
/** A 64-bit number as a JavaScript number. A value above 2^53-1 is refused, never rounded. */
export const uint53 = (number: number): Field<number, "plain"> => ({ number, kind: "uint53", presence: "plain" });
/**
 * A 64-bit number of milliseconds since the epoch. Handlers write "never" as the largest number of their language, so a moment after
 * the year 9999 counts as the end of that year.
 */
export const moment = (number: number): Field<number, "plain"> => ({ number, kind: "moment", presence: "plain" });
export const uint64 = (number: number): Field<bigint, "plain"> => ({ number, kind: "uint64", presence: "plain" });
export const bool = (number: number): Field<boolean, "plain"> => ({ number, kind: "bool", presence: "plain" });
export const string = (number: number): Field<string, "plain"> => ({ number, kind: "string", presence: "plain" });
/** Bytes, which are decoded as a view of the input, not as a copy. */
export const bytes = (number: number): Field<Uint8Array, "plain"> => ({ number, kind: "bytes", presence: "plain" });
/** An open enumeration. Its value is the number, which the caller interprets. */
export const enumeration = (number: number): Field<number, "plain"> => ({
  number,
  kind: "enumeration",
  presence: "plain",
});

/** @param submessage returns the type of the field; it is called lazily, so that a message may contain itself */
export const submessage = <T>(number: number, submessage: () => MessageType<T>): Field<T, "optional"> => ({
  number,
  kind: "message",
  presence: "optional",
  submessage,
});

/** A field that is undefined if it is absent, instead of zero or empty. */
export function optional<T>(field: Field<T, "plain">): Field<T, "optional"> {
  return { number: field.number, kind: field.kind, presence: "optional" };
}

/** A list. Numbers are written packed, and read packed or unpacked. */
export function repeated<T>(field: Field<T, "plain" | "optional">): Field<T, "repeated"> {
  return { ...field, presence: "repeated" } as Field<T, "repeated">;
}

/**
 * A field of a oneof. All fields of the oneof have the same group name. Decoding keeps the last of them; encoding two of them is
 * an error.
 */
export function oneof<T>(group: string, field: Field<T, "plain" | "optional">): Field<T, "optional"> {
  return { ...field, presence: "optional", group } as Field<T, "optional">;
}

const EMPTY = new Uint8Array(0);
const ZEROS: Record<Scalar | "message", unknown> = {
  uint32: 0,
  uint53: 0,
  moment: 0,
  uint64: 0n,
  bool: false,
  string: "",
  bytes: EMPTY,
  enumeration: 0,
  message: undefined,
};

/**
 * Creates the description of a message from the table of its fields. The decoded message has each field under its key in the
 * table. The numbers of the fields must be unique.
 */
export function message<T extends Table>(table: T): MessageType<ValueOf<T>> {
  const entries = Object.entries(table);
  const groups = [...new Set(entries.map(([, { group }]) => group))].filter((group) => group !== undefined);
  const fields = entries.map(([name, field]): NamedField => {
    const { number, kind, presence, group, submessage } = field;
    const zero = presence === "plain" ? ZEROS[kind] : undefined;
    const wire = kind === "string" || kind === "bytes" || kind === "message" ? 2 : 0;
    const inGroup = entries.filter(([rival, other]) => group !== undefined && other.group === group && rival !== name);
    const rivals = inGroup.map(([rival]) => rival);
    const groupBit = group === undefined ? 0 : 1 << groups.indexOf(group);
    return { name, number, kind, presence, groupBit, submessage, zero, wire, rivals };
  });
  fields.sort((a, b) => a.number - b.number);
  const byNumber: (NamedField | undefined)[] = Array.from({ length: (fields.at(-1)?.number ?? 0) + 1 });
  const blank: Record<string, unknown> = {};
  for (const field of fields) {
    if (byNumber[field.number] !== undefined) throw new Proto3Error(`field number ${field.number} is used twice`);
    byNumber[field.number] = field;
    if (field.presence !== "optional") blank[field.name] = field.zero;
  }
  const repeatedNames = fields.filter((field) => field.presence === "repeated").map((field) => field.name);
  return { fields, byNumber, blank, repeatedNames };
}
