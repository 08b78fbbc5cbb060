/** Ids from the machine's random generator, and from HMAC-SHA256 under the environment's secret (I7). */
import { createHmac, createSecretKey, randomBytes, randomFillSync, type KeyObject } from "node:crypto";
import type { IdSource } from "../../engine/ports/id-source.ts";

const SECRET_SIZE_BYTES = 32;
const DIGEST_SIZE_BYTES = 32;
/** A call of the generator costs the same for one byte as for thousands, so one call fills a pool. */
const POOL_SIZE_BYTES = 4096;

export class SecretIdSource implements IdSource {
  readonly #key: KeyObject;
  readonly #pool = new Uint8Array(POOL_SIZE_BYTES);
  /** The start of the unused bytes. */
  #poolAt = POOL_SIZE_BYTES;

  /**
   * @param secret 32 bytes, the same in every process of one environment
   * @throws RangeError when the secret has another size
   */
  constructor(secret: Uint8Array) {
    if (secret.length !== SECRET_SIZE_BYTES) {
      throw new RangeError(`The environment's secret has ${secret.length} bytes and must have ${SECRET_SIZE_BYTES}.`);
    }
    this.#key = createSecretKey(secret);
  }

  random(size: number): Uint8Array {
    if (size > POOL_SIZE_BYTES) return plainBytes(randomBytes(size));
    if (this.#poolAt + size > POOL_SIZE_BYTES) {
      randomFillSync(this.#pool);
      this.#poolAt = 0;
    }
    const end = this.#poolAt + size;
    const bytes = this.#pool.slice(this.#poolAt, end);
    // The pool keeps no copy of random bytes that were given out.
    this.#pool.fill(0, this.#poolAt, end);
    this.#poolAt = end;
    return bytes;
  }

  /** A text part counts as its UTF-8 bytes. @throws RangeError when size is not a whole number from 0 to 32 */
  derive(parts: readonly (string | Uint8Array)[], size: number): Uint8Array {
    if (!Number.isInteger(size) || size < 0 || size > DIGEST_SIZE_BYTES) {
      throw new RangeError(`Between 0 and ${DIGEST_SIZE_BYTES} bytes can be derived, not ${size}.`);
    }
    const hmac = createHmac("sha256", this.#key);
    for (const part of parts) {
      const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return plainBytes(hmac.digest().subarray(0, size));
  }
}

/** Copies, because a Buffer may be a view into a shared pool, and prints and compares unlike a Uint8Array. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}
