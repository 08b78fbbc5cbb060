/** Counts the bytes that the peer may still send on a stream or a connection, and says when to send a window update. */
export class ReceiveWindow {
  readonly #size: number;
  #left: number;
  /** The number of bytes that were received and are not yet returned to the peer. */
  #owed = 0;

  /** @param size in bytes; the caller announces it to the peer */
  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** @returns false if the peer exceeded the window */
  take(bytes: number): boolean {
    this.#left -= bytes;
    this.#owed += bytes;
    return this.#left >= 0;
  }

  /** The number of bytes to return to the peer now; 0 until half of the window is used, which keeps updates rare. */
  due(): number {
    if (this.#owed < this.#size / 2) return 0;
    const given = this.#owed;
    this.#left += given;
    this.#owed = 0;
    return given;
  }
}
