/** The identifiers with an external form: branded strings, their binary forms and their parsers. */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `inv_1` + base62 of 8 partition bytes (width 11) + base62 of 16 more (width 22): 38 characters. */
export type InvocationId = Branded<"InvocationId">;
/** `dp_1` + base62 of 16 bytes (width 22): 26 characters. */
export type DeploymentId = Branded<"DeploymentId">;
/** `sub_1` + base62 of 16 bytes (width 22): 27 characters. */
export type SubscriptionId = Branded<"SubscriptionId">;
/** `sch_1` + base62 of 16 bytes (width 22): 27 characters. */
export type ScheduleId = Branded<"ScheduleId">;
/** New at each acceptance, so that a new life under a reused id meets no item of a former life (I12). */
export type Nonce = Branded<"Nonce">;
/** Names one write of a lease, and so the process that has the lease. */
export type Token = Branded<"Token">;

export const INVOCATION_ID_BYTES = 24;
export const DEPLOYMENT_ID_BYTES = 16;
export const SUBSCRIPTION_ID_BYTES = 16;
export const SCHEDULE_ID_BYTES = 16;
export const NONCE_BYTES = 8;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE = ALPHABET.length;
/** Two letters at a time halve the number of long divisions. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, n) => ALPHABET[Math.floor(n / BASE)]! + ALPHABET[n % BASE]!);
const NO_DIGIT = 0xff;
/** The value of each ASCII character as a base62 digit. */
const DIGIT_OF = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < BASE; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/** A text is not an id of the expected kind. Existing clients show the messages, so their wording is fixed. */
export class IdError extends Error {
  override name = "IdError";
}

/**
 * The binary form is read little-endian before it is converted to base62: a rule of the format, verified against live
 * ids.
 * The function keeps the number in limbs of 16 bits, least significant first. Limbs are several times as fast as a BigInt, and
 * each call creates an id.
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

/** The scale of three letters is 62³: the product of a byte and this scale still fits into a 31-bit integer. */
const LETTERS_AT_ONCE = 3;

/**
 * Parses letters `from` to `to` as one number and writes it little-endian into `bytes` from `start` to `end`. These bytes
 * must be zero before.
 */
function fromBase62(text: string, from: number, to: number, bytes: Uint8Array, start: number, end: number): void {
  for (let at = from; at < to;) {
    let carry = 0;
    let scale = 1;
    for (const stop = Math.min(at + LETTERS_AT_ONCE, to); at < stop; at++) {
      carry = carry * BASE + digitOf(text.charCodeAt(at));
      scale *= BASE;
    }
    for (let i = start; i < end; i++) {
      carry += bytes[i]! * scale;
      bytes[i] = carry & 0xff;
      carry >>>= 8;
    }
    if (carry !== 0) throw new IdError("base62 decode error");
  }
}

function digitOf(code: number): number {
  const digit = code < DIGIT_OF.length ? DIGIT_OF[code]! : NO_DIGIT;
  if (digit === NO_DIGIT) throw new IdError("base62 decode error");
  return digit;
}

/**
 * @param bytes 24 bytes: 8 of the partition key, then 16 of the unique part. Both parts are big-endian numbers, but the text form
 *   reads their bytes as little-endian
 */
export function invocationIdFromBytes(bytes: Uint8Array): InvocationId {
  return `inv_1${base62(bytes.subarray(0, 8), 11)}${base62(bytes.subarray(8, 24), 22)}` as InvocationId;
}

/** @throws IdError with `bad format`, `unrecognized codec version`, `bad length` or `base62 decode error` */
export function invocationIdBytes(id: string): Uint8Array {
  const payload = payloadOf(id, "inv", 33);
  const bytes = new Uint8Array(INVOCATION_ID_BYTES);
  fromBase62(payload, 0, 11, bytes, 0, 8);
  fromBase62(payload, 11, 33, bytes, 8, 24);
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
  fromBase62(payloadOf(text, "dp", 22), 0, 22, new Uint8Array(DEPLOYMENT_ID_BYTES), 0, DEPLOYMENT_ID_BYTES);
  return text as DeploymentId;
}

/** @param bytes 16 bytes */
export function subscriptionIdFromBytes(bytes: Uint8Array): SubscriptionId {
  return `sub_1${base62(bytes, 22)}` as SubscriptionId;
}

/** @throws IdError as `invocationIdBytes` does */
export function parseSubscriptionId(text: string): SubscriptionId {
  fromBase62(payloadOf(text, "sub", 22), 0, 22, new Uint8Array(SUBSCRIPTION_ID_BYTES), 0, SUBSCRIPTION_ID_BYTES);
  return text as SubscriptionId;
}

/** @param bytes 16 bytes */
export function scheduleIdFromBytes(bytes: Uint8Array): ScheduleId {
  return `sch_1${base62(bytes, 22)}` as ScheduleId;
}

/** @param bytes 8 random bytes; the nonce also seeds the invocation's random numbers */
export function nonceFromBytes(bytes: Uint8Array): Nonce {
  return base62(bytes, 11) as Nonce;
}

export function nonceBytes(nonce: Nonce): Uint8Array {
  const bytes = new Uint8Array(NONCE_BYTES);
  fromBase62(nonce, 0, nonce.length, bytes, 0, NONCE_BYTES);
  return bytes;
}

function payloadOf(text: string, prefix: string, length: number): string {
  const at = text.indexOf("_");
  if (at < 0 || text.slice(0, at) !== prefix) throw new IdError("bad format");
  if (text[at + 1] !== "1") throw new IdError("unrecognized codec version");
  const payload = text.slice(at + 2);
  if (payload.length !== length) throw new IdError("bad length");
  return payload;
}
