/** Counts the bytes that the peer may still send on a stream or a connection, and says when to send a window update. */

/** The window of a new stream. If the reader of a stream is slow, up to one window of its bytes stays in memory. */
export const STREAM_WINDOW_INITIAL_BYTES = 32 * 1024;
export const STREAM_WINDOW_BYTES = 1024 * 1024;
export const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** The bytes by which the windows of all streams of a connection may grow together. */
export class WindowGrowth {
  #leftBytes: number;

  constructor(maxBytes: number) {
    this.#leftBytes = maxBytes;
  }

  /** @returns the granted part */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#leftBytes);
    this.#leftBytes -= taken;
    return taken;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
  }
}

export interface Growing {
  readonly from: WindowGrowth;
  readonly maxBytes: number;
}

export class ReceiveWindow {
  readonly #initialSize: number;
  readonly #growing: Growing | undefined;
  #size: number;
  #left: number;
  /** The number of received bytes that no window update has returned to the peer yet. */
  #owed = 0;

  /**
   * @param size in bytes; the caller announces it to the peer
   * @param growing present if the window doubles with each update while its reader keeps up
   */
  constructor(size: number, growing?: Growing) {
    this.#initialSize = size;
    this.#growing = growing;
    this.#size = size;
    this.#left = size;
  }

  /** @returns false if the peer exceeded the window */
  take(bytes: number): boolean {
    this.#left -= bytes;
    this.#owed += bytes;
    return this.#left >= 0;
  }

  /**
   * The number of bytes to return to the peer now; 0 until half of the window is used, which keeps updates rare.
   * @param unreadBytes how many received bytes the reader has not taken yet; a reader that has taken at least half keeps up
   */
  due(unreadBytes = 0): number {
    if (this.#owed < this.#size / 2) return 0;
    const given = this.#owed + (2 * unreadBytes <= this.#owed ? this.#grow() : 0);
    this.#left += given;
    this.#owed = 0;
    return given;
  }

  /** Called once the stream is over. */
  close(): void {
    this.#growing?.from.give(this.#size - this.#initialSize);
    this.#size = this.#initialSize;
  }

  #grow(): number {
    if (this.#growing === undefined) return 0;
    const { from, maxBytes } = this.#growing;
    const grown = from.take(Math.min(this.#size, maxBytes - this.#size));
    this.#size += grown;
    return grown;
  }
}
