/** How much the peer may still send on a stream or a connection, and when it is told that it may send more. */
export class ReceiveWindow {
  readonly #size: number;
  #left: number;
  /** Taken out of the window and not yet given back. */
  #owed = 0;

  /** @param size in bytes; the peer is told separately */
  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** @returns false where the peer sent more than it may */
  take(bytes: number): boolean {
    this.#left -= bytes;
    this.#owed += bytes;
    return this.#left >= 0;
  }

  /** What to give back now: nothing until half of the window is used, so that few updates are sent. */
  due(): number {
    if (this.#owed < this.#size / 2) return 0;
    const given = this.#owed;
    this.#left += given;
    this.#owed = 0;
    return given;
  }
}
