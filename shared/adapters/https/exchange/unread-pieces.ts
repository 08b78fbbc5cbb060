/** The received bytes that no reader has taken, in memory that is in proportion to them, however small their pieces are. */

/** A view is copied if its buffer is more than this many times as large as the view. */
const PINNED_MAX_TIMES = 4;
/** From this many pieces on, small ones are gathered: a piece of one byte takes more than a hundred bytes of memory. */
const PIECES_MAX = 64;
const SMALL_BYTES = 256;
const GATHERED_BYTES = 4 * SMALL_BYTES;

export class UnreadPieces {
  readonly #pieces: Uint8Array[] = [];
  /** Holds the last piece while further small ones still fit behind it. */
  #gathering: Uint8Array | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(received: Uint8Array): void {
    this.#bytes += received.length;
    if (this.#pieces.length < PIECES_MAX || received.length > SMALL_BYTES) {
      this.#pieces.push(unpinned(received));
      this.#gathering = undefined;
    } else if (!this.#append(received)) {
      this.#gathering = new Uint8Array(GATHERED_BYTES);
      this.#gathering.set(received);
      this.#pieces.push(this.#gathering.subarray(0, received.length));
    }
  }

  shift(): Uint8Array | undefined {
    const piece = this.#pieces.shift();
    if (piece !== undefined) this.#bytes -= piece.length;
    if (this.#pieces.length === 0) this.#gathering = undefined;
    return piece;
  }

  /** @returns false if no last piece has room */
  #append(received: Uint8Array): boolean {
    const last = this.#pieces.length - 1;
    const usedBytes = this.#pieces[last]?.length ?? 0;
    if (this.#gathering === undefined || usedBytes + received.length > GATHERED_BYTES) return false;
    this.#gathering.set(received, usedBytes);
    this.#pieces[last] = this.#gathering.subarray(0, usedBytes + received.length);
    return true;
  }
}

/** Copies a small view of a large buffer. Otherwise 8 bytes of a message could keep 64 KiB of a socket's buffer alive. */
export function unpinned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > PINNED_MAX_TIMES * bytes.length ? new Uint8Array(bytes) : bytes;
}
