/** Encodes request heads as header blocks (RFC 7541) without a dynamic table: static fields by number, others literally. */
import type { ExchangeRequest } from "../../../engine/ports/endpoints.ts";
import { endToEnd } from "../exchange/end-to-end-headers.ts";
import { pathOf, type ParsedUri } from "../exchange/parsed-uri.ts";
import { STATIC_INDEX } from "./static-table.ts";

/** A full cache is cleared as a whole, because few of its entries are in use. */
const REMEMBERED_MAX = 1_000;
const NEVER_INDEXED = 0x10;
const INDEXED = 0x80;
/**
 * Sets the dynamic table to size 0 in the first block, so the encoder need not react when the peer announces a limit for
 * the table later.
 */
const NO_TABLE = 0x20;
const METHOD = { GET: 2, POST: 3 } as const;
const SCHEME = { "http:": 6, "https:": 7 } as const;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

export class RequestEncoder {
  #bytes = Buffer.allocUnsafe(2048);
  #size = 0;
  #isFirst = true;
  /** The encoded start of every request, by method and path. */
  readonly #openings = { GET: new Map<string, Uint8Array>(), POST: new Map<string, Uint8Array>() };
  readonly #names = new Map<string, Uint8Array>();

  /**
   * @returns a block that is valid until the next call
   * @throws TypeError for a name or a value that no header may have
   */
  encode(request: ExchangeRequest, target: ParsedUri): Uint8Array {
    this.#size = 0;
    if (this.#isFirst) this.#bytes[this.#size++] = NO_TABLE;
    this.#copy(this.#opening(request.method, pathOf(target, request.path), target));
    const headers = endToEnd(request.headers);
    for (const name in headers) {
      if (name.startsWith(":")) throw new TypeError(`${name} cannot be the name of a header`);
      this.#copy(this.#name(name));
      this.#value(headers[name] ?? "", name);
    }
    this.#isFirst = false;
    return this.#bytes.subarray(0, this.#size);
  }

  #opening(method: ExchangeRequest["method"], path: string, target: ParsedUri): Uint8Array {
    const known = this.#openings[method].get(path);
    if (known !== undefined) return known;
    const start = this.#size;
    this.#reserve(2);
    this.#bytes[this.#size++] = INDEXED | METHOD[method];
    this.#bytes[this.#size++] = INDEXED | SCHEME[target.origin.protocol as "http:" | "https:"];
    this.#copy(this.#name(":authority"));
    this.#value(target.origin.host, ":authority");
    this.#copy(this.#name(":path"));
    this.#value(path, ":path");
    return this.#remember(this.#openings[method], path, start);
  }

  /** The encoded start of a field: its name by number or literally. */
  #name(name: string): Uint8Array {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const start = this.#size;
    const index = STATIC_INDEX.get(name);
    if (index !== undefined) {
      this.#integer(NEVER_INDEXED, 4, index);
    } else {
      const lowered = name.toLowerCase();
      if (!NAME.test(lowered)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a header`);
      this.#integer(NEVER_INDEXED, 4, 0);
      this.#value(lowered, name);
    }
    return this.#remember(this.#names, name, start);
  }

  /** Moves the bytes after `start` from the block into the cache; the caller copies them back. */
  #remember(memory: Map<string, Uint8Array>, key: string, start: number): Uint8Array {
    const piece = Buffer.from(this.#bytes.subarray(start, this.#size));
    this.#size = start;
    if (memory.size >= REMEMBERED_MAX) memory.clear();
    memory.set(key, piece);
    return piece;
  }

  #value(text: string, name: string): void {
    this.#integer(0, 7, text.length);
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > 255 || code === 0 || code === 10 || code === 13) {
        throw new TypeError(`the value of the header ${name} contains a character that cannot be sent`);
      }
      this.#bytes[this.#size++] = code;
    }
  }

  #integer(flags: number, prefixBits: number, value: number): void {
    this.#reserve(6);
    const prefixMax = (1 << prefixBits) - 1;
    if (value < prefixMax) {
      this.#bytes[this.#size++] = flags | value;
      return;
    }
    this.#bytes[this.#size++] = flags | prefixMax;
    let rest = value - prefixMax;
    for (; rest > 127; rest >>= 7) this.#bytes[this.#size++] = (rest & 127) | 128;
    this.#bytes[this.#size++] = rest;
  }

  #copy(piece: Uint8Array): void {
    this.#reserve(piece.length);
    this.#bytes.set(piece, this.#size);
    this.#size += piece.length;
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#size + bytes));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
  }
}
