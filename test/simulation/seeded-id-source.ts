/** Ids that are the same in every run: random bytes follow from a seed, derived bytes from one secret. */
import { createHash } from "node:crypto";
import { SecretIdSource } from "../../shared/adapters/system/id-source.ts";
import type { IdSource } from "../../shared/engine/ports/id-source.ts";

const DERIVED = new SecretIdSource(new Uint8Array(32).fill(7));

export class SeededIdSource implements IdSource {
  readonly #seed: string;
  #drawn = 0;

  /** @param seed a text that no other process has: two processes with one seed would draw the same ids */
  constructor(seed: string) {
    this.#seed = seed;
  }

  /** @param size the number of bytes, at most 32 */
  random(size: number): Uint8Array {
    const drawn = createHash("sha256")
      .update(`${this.#seed}.${this.#drawn++}`)
      .digest();
    return Uint8Array.from(drawn.subarray(0, size));
  }

  derive(parts: readonly (string | Uint8Array)[], size: number): Uint8Array {
    return DERIVED.derive(parts, size);
  }
}
