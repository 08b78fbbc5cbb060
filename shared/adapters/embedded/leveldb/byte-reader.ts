/** Reads the numbers of LevelDB's files: variable and fixed lengths, least byte first. */

/** A file says something that its format does not allow. */
export class FormatError extends Error {
  override name = "FormatError";
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** @throws FormatError at the end of the bytes */
  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new FormatError("the bytes end too early");
    return byte;
  }

  /** @throws FormatError for a number above 2^53 - 1, which is no place in a file */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new FormatError("a number is too large");
  }

  /** Skips a number of up to 64 bits, such as a sequence number. */
  skipVarint(): void {
    while (this.byte() >= 128);
  }

  /** @throws FormatError if fewer bytes are left */
  bytes(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new FormatError("the bytes end too early");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

export function fixed32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
