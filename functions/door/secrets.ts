/** Makes and compares the secrets of a door: tokens, codes and keys. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;

/** 256 random bits, as 43 letters, digits, hyphens and underscores. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Takes the same time for every `given` of one length, so that the time of a refusal tells nothing about the secret. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(secret));
}

/** All digests have one length, as comparisons want it. */
export function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
