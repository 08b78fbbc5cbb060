/** Bytes that cannot be packed and that anybody can make again: large values are checked against them to the last byte. */
import { createCipheriv, createHash } from "node:crypto";

const CIPHER = "aes-128-ctr";

/** @param seed the same one gives the same bytes */
export function noiseOf(seed: string, bytes: number): Buffer {
  const key = createHash("sha256").update(seed).digest().subarray(0, 16);
  return createCipheriv(CIPHER, key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
