/** Room on the disk that a store keeps for itself: it gives the room up to be opened again, because a full disk has none for that. */
import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const FILE = "reserve";
const UNFINISHED = "reserve.new";
const PIECE_BYTES = 256 * 1024;

export class StoreReserve {
  readonly #dir: string;
  readonly #sizeBytes: number;

  /** @param sizeBytes 0 for a store that keeps nothing back */
  constructor(dir: string, sizeBytes: number) {
    this.#dir = dir;
    this.#sizeBytes = sizeBytes;
  }

  /** @returns the size of the reserve on the disk; 0 without one */
  async heldBytes(): Promise<number> {
    if (this.#sizeBytes === 0) return 0;
    return await stat(join(this.#dir, FILE)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Takes the room unless it is taken. A disk without it leaves the store without a reserve until the next call. */
  async take(): Promise<void> {
    if (this.#sizeBytes === 0 || (await this.heldBytes()) >= this.#sizeBytes) return;
    const unfinished = join(this.#dir, UNFINISHED);
    try {
      const file = await open(unfinished, "w", 0o600);
      try {
        // Random bytes, because some file systems give zeros no room.
        const piece = randomBytes(PIECE_BYTES);
        for (let size = 0; size < this.#sizeBytes; size += PIECE_BYTES) await file.write(piece);
      } finally {
        await file.close();
      }
      await rename(unfinished, join(this.#dir, FILE));
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  }

  async giveUp(): Promise<void> {
    for (const name of [FILE, UNFINISHED]) await rm(join(this.#dir, name), { force: true }).catch(() => undefined);
  }
}
