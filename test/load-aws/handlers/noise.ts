/** Incompressible bytes that every process can reproduce, so that the suite checks large values down to the last byte. */
import { createCipheriv, createHash } from "node:crypto";

const CIPHER = "aes-128-ctr";

/** @param seed the same seed gives the same bytes */
export function noiseOf(seed: string, bytes: number): Buffer {
  const key = createHash("sha256").update(seed).digest().subarray(0, 16);
  return createCipheriv(CIPHER, key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
