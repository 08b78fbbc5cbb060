/** Decodes messages in the proto3 wire format; bytes fields become views of the input. */
import { LAST_MOMENT_MS } from "./moment.ts";
import { NESTING_MAX, NestingError, Proto3Error, type MessageType, type NamedField } from "./proto3.ts";

type Values = Record<string, unknown>;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const SHORT_TEXT_BYTES = 32;

// The byte order mark stays part of a string, so that a decoded string equals the written one.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The number of sub-messages and repeated values that may still be decoded; several messages can share one budget. */
export interface ElementBudget {
  left: number;
}

/**
 * @param budget bounds an untrusted message: two bytes on the wire may become an object of hundreds of bytes in memory
 * @throws Proto3Error for a message that is incomplete, malformed or above its budget; the decoder skips unknown fields
 */
export function decode<T>(type: MessageType<T>, bytes: Uint8Array, budget?: ElementBudget): T {
  return new Source(bytes, budget).message(type, bytes.length, 0, undefined) as T;
}

class Source {
  readonly #bytes: Uint8Array;
  readonly #budget: ElementBudget | undefined;
  #at = 0;
  /** The upper 32 bits of the last varint. */
  #high = 0;

  constructor(bytes: Uint8Array, budget: ElementBudget | undefined) {
    this.#bytes = bytes;
    this.#budget = budget;
  }

  /** @param earlier the earlier value of the same field: proto3 merges the occurrences of a sub-message */
  message(type: MessageType<unknown>, end: number, depth: number, earlier: Values | undefined): Values {
    if (depth > NESTING_MAX) throw new NestingError(`messages nest deeper than ${NESTING_MAX} levels`);
    const value: Values = earlier ?? blankOf(type);
    // One bit for each oneof that may have a field set; a later field of the same oneof clears the earlier field.
    let groupsSet = earlier === undefined ? 0 : -1;
    while (this.#at < end) {
      const tag = this.#varint32(end);
      const number = tag >>> 3;
      const wire = tag & 7;
      if (number === 0) throw new Proto3Error("field number 0");
      const field = type.byNumber[number];
      if (field === undefined) {
        this.#skip(wire, end);
        continue;
      }
      if ((groupsSet & field.groupBit) !== 0) for (const rival of field.rivals) delete value[rival];
      groupsSet |= field.groupBit;
      this.#field(field, wire, end, depth, value);
    }
    return value;
  }

  #field(field: NamedField, wire: number, end: number, depth: number, value: Values): void {
    const own = field.wire;
    if (field.presence === "repeated") {
      const list = value[field.name] as unknown[];
      if (wire === own) this.#push(list, field, end, depth);
      else if (wire === LENGTH) {
        const until = this.#span(end);
        while (this.#at < until) this.#push(list, field, until, depth);
      } else throw wrongWire(field, wire);
      return;
    }
    if (wire !== own) throw wrongWire(field, wire);
    value[field.name] = this.#one(field, end, depth, value[field.name]);
  }

  #push(list: unknown[], field: NamedField, end: number, depth: number): void {
    // A sub-message, repeated or not, is counted in `#one`.
    if (field.kind !== "message") this.#spend();
    list.push(this.#one(field, end, depth, undefined));
  }

  #spend(): void {
    if (this.#budget !== undefined && --this.#budget.left < 0) throw new Proto3Error("too many elements");
  }

  #one(field: NamedField, end: number, depth: number, earlier: unknown): unknown {
    switch (field.kind) {
      case "message":
        this.#spend();
        return this.message(field.submessage!(), this.#span(end), depth + 1, earlier as Values | undefined);
      case "bytes": {
        const until = this.#span(end);
        const view = this.#bytes.subarray(this.#at, until);
        this.#at = until;
        return view;
      }
      case "string":
        return this.#string(field, end);
      default:
        return this.#number(field, end);
    }
  }

  #number(field: NamedField, end: number): unknown {
    const low = this.#varint(end);
    const high = this.#high;
    switch (field.kind) {
      case "uint32":
        if (high !== 0) throw new Proto3Error(`${field.name} does not fit into 32 bits`);
        return low;
      case "uint53":
        if (high > 0x1fffff) throw new Proto3Error(`${field.name} is above 2^53-1`);
        return high * 0x100000000 + low;
      case "moment":
        return Math.min(high * 0x100000000 + low, LAST_MOMENT_MS);
      case "uint64":
        return high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
      case "bool":
        return low !== 0 || high !== 0;
      default:
        return low | 0;
    }
  }

  #string(field: NamedField, end: number): string {
    const until = this.#span(end);
    const from = this.#at;
    this.#at = until;
    if (until - from <= SHORT_TEXT_BYTES) {
      let text = "";
      let i = from;
      for (; i < until && this.#bytes[i]! < 0x80; i++) text += String.fromCharCode(this.#bytes[i]!);
      if (i === until) return text;
    }
    try {
      return utf8.decode(this.#bytes.subarray(from, until));
    } catch {
      throw new Proto3Error(`${field.name} is not valid UTF-8`);
    }
  }

  /** Reads a length, and returns the offset at which the content of that length ends. */
  #span(end: number): number {
    const size = this.#varint32(end);
    if (size > end - this.#at) throw new Proto3Error(`a length of ${size} bytes where ${end - this.#at} are left`);
    return this.#at + size;
  }

  #varint32(end: number): number {
    const low = this.#varint(end);
    if (this.#high !== 0) throw new Proto3Error("a tag or length does not fit into 32 bits");
    return low;
  }

  /** Returns the lower 32 bits, unsigned, and stores the upper ones in `#high`. */
  #varint(end: number): number {
    const bytes = this.#bytes;
    this.#high = 0;
    let low = 0;
    for (let i = 0; i < 10; i++) {
      if (this.#at >= end) throw new Proto3Error("a number is cut off");
      const byte = bytes[this.#at++]!;
      const bits = byte & 127;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        this.#high = bits >>> 4;
      } else if (i < 9) this.#high |= bits << (7 * i - 32);
      else {
        if (bits > 1) throw new Proto3Error("a number does not fit into 64 bits");
        this.#high |= bits << 31;
      }
      if (byte < 128) {
        this.#high >>>= 0;
        return low >>> 0;
      }
    }
    throw new Proto3Error("a number is longer than 10 bytes");
  }

  #skip(wire: number, end: number): void {
    if (wire === VARINT) return void this.#varint(end);
    if (wire !== LENGTH && wire !== FIXED32 && wire !== FIXED64)
      throw new Proto3Error(`wire type ${wire} is not used in proto3`);
    const until = wire === LENGTH ? this.#span(end) : this.#at + (wire === FIXED32 ? 4 : 8);
    if (until > end) throw new Proto3Error("a fixed-size number is cut off");
    this.#at = until;
  }
}

function blankOf(type: MessageType<unknown>): Values {
  const value: Values = { ...type.blank };
  for (const name of type.repeatedNames) value[name] = [];
  return value;
}

function wrongWire(field: NamedField, wire: number): Proto3Error {
  return new Proto3Error(`${field.name} has wire type ${wire} instead of ${field.wire}`);
}
