/** Proto3 messages described by tables: the kinds of fields, and the TypeScript type of what a table describes. */

/** The one error of reading or writing the wire format: truncated, oversized, nested too deep, of the wrong type. */
export class Proto3Error extends Error {
  override name = "Proto3Error";
}

/** Levels of sub-messages below a root; the limit keeps a hostile message from exhausting the stack. */
export const NESTING_MAX = 1000;

export type Scalar = "uint32" | "uint53" | "uint64" | "bool" | "string" | "bytes" | "enumeration";

/** `plain` fields are always there, absent ones as zero or empty; `optional` ones are undefined when absent; `repeated` ones are arrays. */
export type Presence = "plain" | "optional" | "repeated";

export interface Field<T, P extends Presence> {
  readonly number: number;
  readonly kind: Scalar | "message";
  readonly presence: P;
  readonly group?: string;
  readonly submessage?: () => MessageType<unknown>;
  /** Never set: carries the value's type for `Infer`. */
  readonly valueType?: T;
}

/** A field as encoder and decoder read it. All have the same members in the same order, which keeps reading them fast. */
export interface NamedField {
  readonly name: string;
  readonly number: number;
  readonly kind: Scalar | "message";
  readonly presence: Presence;
  /** One bit for each oneof of the message; 0 for a field that is in none. */
  readonly groupBit: number;
  readonly submessage: (() => MessageType<unknown>) | undefined;
  /** What a plain field holds when it is absent on the wire. */
  readonly zero: unknown;
  /** 0 for numbers, which lists write packed; 2 for what carries its length. */
  readonly wire: 0 | 2;
  /** The other fields of its oneof: setting one clears these. */
  readonly rivals: readonly string[];
}

export interface MessageType<T> {
  readonly fields: readonly NamedField[];
  /** Indexed by field number. */
  readonly byNumber: readonly (NamedField | undefined)[];
  /** A value with nothing set, to copy; repeated fields hold undefined here. */
  readonly blank: Readonly<Record<string, unknown>>;
  readonly repeatedNames: readonly string[];
  /** Never set: carries the value's type for `Infer`. */
  readonly valueType?: T;
}

type Table = Readonly<Record<string, Field<unknown, Presence>>>;
type Of<F> = F extends Field<infer T, infer P> ? (P extends "repeated" ? readonly T[] : T) : never;
type OptionalNames<T extends Table> = { [K in keyof T]: T[K]["presence"] extends "optional" ? K : never }[keyof T];
type Flat<T> = { [K in keyof T]: T[K] };
type ValueOf<T extends Table> = Flat<
  { readonly [K in Exclude<keyof T, OptionalNames<T>>]: Of<T[K]> } & { readonly [K in OptionalNames<T>]?: Of<T[K]> }
>;

/** What decoding gives. A oneof appears as its fields, all optional, of which at most one is set. */
export type Infer<M> = M extends MessageType<infer T> ? T : never;

/** What encoding takes: the same with everything optional, absent meaning zero or empty. */
export type Draft<T> = T extends Uint8Array | string | number | bigint | boolean | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly Draft<E>[]
    : { readonly [K in keyof T]?: Draft<T[K]> | undefined };

export const uint32 = (number: number): Field<number, "plain"> => ({ number, kind: "uint32", presence: "plain" });
/** A 64-bit number read as a JavaScript number; above 2^53-1 it is refused, never rounded. */
export const uint53 = (number: number): Field<number, "plain"> => ({ number, kind: "uint53", presence: "plain" });
export const uint64 = (number: number): Field<bigint, "plain"> => ({ number, kind: "uint64", presence: "plain" });
export const bool = (number: number): Field<boolean, "plain"> => ({ number, kind: "bool", presence: "plain" });
export const string = (number: number): Field<string, "plain"> => ({ number, kind: "string", presence: "plain" });
/** Decoded as a view of the bytes that were read, not as a copy. */
export const bytes = (number: number): Field<Uint8Array, "plain"> => ({ number, kind: "bytes", presence: "plain" });
/** An open enumeration, as its number; what a number means is its reader's business. */
export const enumeration = (number: number): Field<number, "plain"> => ({
  number,
  kind: "enumeration",
  presence: "plain",
});

/** @param submessage called late, so that a message may contain itself */
export const submessage = <T>(number: number, submessage: () => MessageType<T>): Field<T, "optional"> => ({
  number,
  kind: "message",
  presence: "optional",
  submessage,
});

/** A field whose absence differs from its zero value. */
export function optional<T>(field: Field<T, "plain">): Field<T, "optional"> {
  return { number: field.number, kind: field.kind, presence: "optional" };
}

/** A list. Numbers are written packed, and read packed or not. */
export function repeated<T>(field: Field<T, "plain" | "optional">): Field<T, "repeated"> {
  return { ...field, presence: "repeated" } as Field<T, "repeated">;
}

/** Fields of one message that share a group name exclude each other: reading keeps the last, writing two is an error. */
export function oneof<T>(group: string, field: Field<T, "plain" | "optional">): Field<T, "optional"> {
  return { ...field, presence: "optional", group } as Field<T, "optional">;
}

const EMPTY = new Uint8Array(0);
const ZEROS: Record<Scalar | "message", unknown> = {
  uint32: 0,
  uint53: 0,
  uint64: 0n,
  bool: false,
  string: "",
  bytes: EMPTY,
  enumeration: 0,
  message: undefined,
};

/** Makes the description of a message from its fields; a name repeats in the value, a number on the wire. */
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
