/** Encodes messages in the proto3 wire format in two passes: one measures, one writes into exactly as many bytes. */
import { NESTING_MAX, Proto3Error, type Draft, type MessageType, type NamedField } from "./proto3.ts";

type Values = Readonly<Record<string, unknown>>;

const utf8 = new TextEncoder();

/**
 * @param headroom the number of bytes that stay free in front of the message, for a header that the caller writes
 * @throws Proto3Error if a number is out of range, two fields of a oneof are set, or messages nest too deep
 */
export function encode<T>(type: MessageType<T>, value: Draft<NoInfer<T>>, headroom = 0): Uint8Array {
  const lengths: number[] = [];
  const size = measure(type, value as Values, lengths, 0);
  const sink = new Sink(new Uint8Array(headroom + size), headroom, lengths);
  sink.message(type, value as Values);
  return sink.out;
}

/** Records the length of every string, packed list and sub-message in the order in which the writing pass reads them. */
function measure(type: MessageType<unknown>, value: Values, lengths: number[], depth: number): number {
  if (depth > NESTING_MAX) throw new Proto3Error(`messages nest deeper than ${NESTING_MAX} levels`);
  let size = 0;
  let groupsSet = 0;
  for (const field of type.fields) {
    const content = value[field.name];
    if (content === undefined || (content === field.zero && field.presence === "plain")) continue;
    if ((groupsSet & field.groupBit) !== 0)
      throw new Proto3Error(`${field.name} and another of its oneof are both set`);
    groupsSet |= field.groupBit;
    if (field.presence === "repeated") size += measureList(field, content as readonly unknown[], lengths, depth);
    else if (field.presence !== "plain" || !isEmpty(field, content))
      size += tagSize(field) + measureOne(field, content, lengths, depth);
  }
  return size;
}

function measureList(field: NamedField, list: readonly unknown[], lengths: number[], depth: number): number {
  if (list.length === 0) return 0;
  let size = 0;
  if (field.wire === 2) {
    for (const item of list) size += tagSize(field) + measureOne(field, item, lengths, depth);
    return size;
  }
  for (const item of list) size += scalarSize(field, item);
  lengths.push(size);
  return tagSize(field) + varintSize(size) + size;
}

function measureOne(field: NamedField, content: unknown, lengths: number[], depth: number): number {
  if (field.kind === "bytes") {
    const size = (content as Uint8Array).length;
    return varintSize(size) + size;
  }
  if (field.kind !== "string" && field.kind !== "message") return scalarSize(field, content);
  const at = lengths.push(0) - 1;
  const size =
    field.kind === "string"
      ? utf8Size(content as string)
      : measure(field.submessage!(), content as Values, lengths, depth + 1);
  lengths[at] = size;
  return varintSize(size) + size;
}

const isEmpty = ({ kind }: NamedField, content: unknown): boolean =>
  kind === "bytes" && (content as Uint8Array).length === 0;
const tagSize = ({ number }: NamedField): number => (number < 16 ? 1 : varintSize(number * 8));

const WHOLE_MAX: { readonly [kind: string]: number } = {
  uint32: 0xffffffff,
  uint53: Number.MAX_SAFE_INTEGER,
  moment: Number.MAX_SAFE_INTEGER,
};

function scalarSize(field: NamedField, content: unknown): number {
  if (field.kind === "bool") return 1;
  if (field.kind === "uint64") return bigSize(field, content as bigint);
  const value = content as number;
  const max = WHOLE_MAX[field.kind] ?? 0x7fffffff;
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new Proto3Error(`${field.name} is ${value}, not a whole number from 0 to ${max}`);
  }
  return varintSize(value);
}

function bigSize(field: NamedField, value: bigint): number {
  if (value < 0n || value > 0xffffffffffffffffn)
    throw new Proto3Error(`${field.name} is ${value}, not an unsigned 64-bit number`);
  let size = 1;
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) size++;
  return size;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

function utf8Size(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else if (unit < 0xd800 || unit > 0xdbff) size += 2;
    else {
      // A surrogate pair takes four bytes; an unpaired half is written as the three bytes of the replacement character.
      const next = text.charCodeAt(i + 1);
      size += 2;
      if (next >= 0xdc00 && next <= 0xdfff) i++;
    }
  }
  return size;
}

class Sink {
  readonly out: Uint8Array;
  #at: number;
  readonly #lengths: readonly number[];
  #nextLength = 0;

  constructor(out: Uint8Array, at: number, lengths: readonly number[]) {
    this.out = out;
    this.#at = at;
    this.#lengths = lengths;
  }

  message(type: MessageType<unknown>, value: Values): void {
    for (const field of type.fields) {
      const content = value[field.name];
      if (content === undefined || (content === field.zero && field.presence === "plain")) continue;
      if (field.presence === "repeated") this.#list(field, content as readonly unknown[]);
      else if (field.presence !== "plain" || !isEmpty(field, content)) {
        this.#varint(field.number * 8 + field.wire);
        this.#one(field, content);
      }
    }
  }

  #list(field: NamedField, list: readonly unknown[]): void {
    if (list.length === 0) return;
    const packed = field.wire === 0;
    if (packed) {
      this.#varint(field.number * 8 + 2);
      this.#varint(this.#lengths[this.#nextLength++]!);
    }
    for (const item of list) {
      if (!packed) this.#varint(field.number * 8 + 2);
      this.#one(field, item);
    }
  }

  #one(field: NamedField, content: unknown): void {
    switch (field.kind) {
      case "bytes":
        this.#varint((content as Uint8Array).length);
        this.out.set(content as Uint8Array, this.#at);
        this.#at += (content as Uint8Array).length;
        return;
      case "string":
        return this.#string(content as string);
      case "message":
        this.#varint(this.#lengths[this.#nextLength++]!);
        return this.message(field.submessage!(), content as Values);
      case "bool":
        return this.#varint(content === true ? 1 : 0);
      case "uint64":
        return this.#big(content as bigint);
      default:
        return this.#varint(content as number);
    }
  }

  #string(text: string): void {
    const size = this.#lengths[this.#nextLength++]!;
    this.#varint(size);
    if (size === text.length) for (let i = 0; i < size; i++) this.out[this.#at + i] = text.charCodeAt(i);
    else utf8.encodeInto(text, this.out.subarray(this.#at));
    this.#at += size;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.out[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.out[this.#at++] = rest;
  }

  #big(value: bigint): void {
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) this.out[this.#at++] = Number(rest & 127n) | 128;
    this.out[this.#at++] = Number(rest);
  }
}
