/** The identifiers that travel outside: branded strings, their binary forms and their parsers. */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `inv_1` + base62 of 8 partition bytes (width 11) + base62 of 16 more (width 22): 38 characters. */
export type InvocationId = Branded<"InvocationId">;
/** `dp_1` + base62 of 16 bytes (width 22): 26 characters. */
export type DeploymentId = Branded<"DeploymentId">;
/** `sub_1` + base62 of 16 bytes (width 22): 27 characters. */
export type SubscriptionId = Branded<"SubscriptionId">;
/** Made anew at each acceptance of an invocation id, so that a reused id meets nothing of its former life (I12). */
export type Nonce = Branded<"Nonce">;
/** Names who holds the lease of an invocation; new at every write of a hold. */
export type Token = Branded<"Token">;

export const INVOCATION_ID_BYTES = 24;
export const DEPLOYMENT_ID_BYTES = 16;
export const SUBSCRIPTION_ID_BYTES = 16;
export const NONCE_BYTES = 8;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE = ALPHABET.length;
/** Two letters at a time halve the long divisions. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, n) => ALPHABET[Math.floor(n / BASE)]! + ALPHABET[n % BASE]!);
const DIGIT_OF = new Map([...ALPHABET].map((letter, digit) => [letter, digit]));

/** Why a text is not an id of the kind asked for, in the words that existing clients show. */
export class IdError extends Error {
  override name = "IdError";
}

/**
 * The binary form is read little-endian before it is written in base62: a rule of the format, verified against live ids.
 * The number is held in limbs of 16 bits, least first, which is several times as fast as big integers on the path of a call.
 */
function base62(bytes: Uint8Array, width: number): string {
  const limbs: number[] = [];
  for (let i = 0; i < bytes.length; i += 2) limbs.push(bytes[i]! | (bytes[i + 1]! << 8));
  let text = "";
  for (let left = width; left > 1; left -= 2) text = PAIRS[divideInPlace(limbs, BASE * BASE)]! + text;
  return width % 2 === 0 ? text : ALPHABET[divideInPlace(limbs, BASE)]! + text;
}

/** @returns the remainder */
function divideInPlace(limbs: number[], by: number): number {
  let remainder = 0;
  for (let i = limbs.length - 1; i >= 0; i--) {
    const dividend = remainder * 65_536 + limbs[i]!;
    limbs[i] = Math.floor(dividend / by);
    remainder = dividend % by;
  }
  return remainder;
}

function fromBase62(text: string, size: number): Uint8Array {
  const limbs: number[] = Array.from({ length: size / 2 }, () => 0);
  for (const letter of text) {
    const digit = DIGIT_OF.get(letter);
    if (digit === undefined) throw new IdError("base62 decode error");
    let carry = digit;
    for (let i = 0; i < limbs.length; i++) {
      const product = limbs[i]! * BASE + carry;
      limbs[i] = product & 0xffff;
      carry = product >>> 16;
    }
    if (carry !== 0) throw new IdError("base62 decode error");
  }
  const bytes = new Uint8Array(size);
  for (const [i, limb] of limbs.entries()) {
    bytes[2 * i] = limb & 0xff;
    bytes[2 * i + 1] = limb >>> 8;
  }
  return bytes;
}

/** @param bytes 24 bytes: 8 of the partition key, 16 of the unique part, both big-endian */
export function invocationIdFromBytes(bytes: Uint8Array): InvocationId {
  return `inv_1${base62(bytes.subarray(0, 8), 11)}${base62(bytes.subarray(8, 24), 22)}` as InvocationId;
}

/** @throws IdError with `bad format`, `unrecognized codec version`, `bad length` or `base62 decode error` */
export function invocationIdBytes(id: string): Uint8Array {
  const payload = payloadOf(id, "inv", 33);
  const bytes = new Uint8Array(INVOCATION_ID_BYTES);
  bytes.set(fromBase62(payload.slice(0, 11), 8), 0);
  bytes.set(fromBase62(payload.slice(11), 16), 8);
  return bytes;
}

/** @throws IdError as `invocationIdBytes` does */
export function parseInvocationId(text: string): InvocationId {
  invocationIdBytes(text);
  return text as InvocationId;
}

/** @param bytes 16 bytes */
export function deploymentIdFromBytes(bytes: Uint8Array): DeploymentId {
  return `dp_1${base62(bytes, 22)}` as DeploymentId;
}

/** @throws IdError as `invocationIdBytes` does */
export function parseDeploymentId(text: string): DeploymentId {
  fromBase62(payloadOf(text, "dp", 22), DEPLOYMENT_ID_BYTES);
  return text as DeploymentId;
}

/** @param bytes 16 bytes */
export function subscriptionIdFromBytes(bytes: Uint8Array): SubscriptionId {
  return `sub_1${base62(bytes, 22)}` as SubscriptionId;
}

/** @throws IdError as `invocationIdBytes` does */
export function parseSubscriptionId(text: string): SubscriptionId {
  fromBase62(payloadOf(text, "sub", 22), SUBSCRIPTION_ID_BYTES);
  return text as SubscriptionId;
}

/** @param bytes 8 random bytes; the nonce also seeds the invocation's random numbers */
export function nonceFromBytes(bytes: Uint8Array): Nonce {
  return base62(bytes, 11) as Nonce;
}

export function nonceBytes(nonce: Nonce): Uint8Array {
  return fromBase62(nonce, NONCE_BYTES);
}

function payloadOf(text: string, prefix: string, length: number): string {
  const at = text.indexOf("_");
  if (at < 0 || text.slice(0, at) !== prefix) throw new IdError("bad format");
  if (text[at + 1] !== "1") throw new IdError("unrecognized codec version");
  const payload = text.slice(at + 2);
  if (payload.length !== length) throw new IdError("bad length");
  return payload;
}
