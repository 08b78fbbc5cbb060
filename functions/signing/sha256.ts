/** SHA-256 with the interface that the Signature Version 4 signer expects. */
import { createHash, createHmac } from "node:crypto";

export class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }
  update(part: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(part));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error("A hash is used once");
  }
}

function bytesOf(part: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof part === "string") return Buffer.from(part, "utf8");
  return ArrayBuffer.isView(part)
    ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    : new Uint8Array(part);
}
