/** Awakeable ids: texts by which an outside party names an invocation and one of its signals. */
import { base64url, BASE64URL_DIGITS } from "../model/base64url.ts";
import { IdError, INVOCATION_ID_BYTES, invocationIdFromBytes, type InvocationId } from "../model/ids.ts";

export interface AwakeableId {
  /** `entry` ids come from deployments older than every supported one: they parse, but no invocation waits for them. */
  readonly kind: "signal" | "entry";
  readonly invocationId: InvocationId;
  readonly index: number;
}

const VALUES = new Map([...BASE64URL_DIGITS].map((digit, position) => [digit, position]));
const PAYLOAD_BYTES = INVOCATION_ID_BYTES + 4;
const PAYLOAD_LENGTH = Math.ceil((PAYLOAD_BYTES * 8) / 6);

/**
 * Encodes an id as SDKs do: `sign_1`, then the base64url of the invocation id's bytes and the index.
 * @param idBytes the 24 bytes of the id in the start message
 */
export function encodeAwakeableId(idBytes: Uint8Array, signalIndex: number): string {
  const payload = new Uint8Array(idBytes.length + 4);
  payload.set(idBytes);
  new DataView(payload.buffer).setUint32(idBytes.length, signalIndex);
  return `sign_1${base64url(payload)}`;
}

/** @throws IdError with `bad format`, `unrecognized codec version`, `bad length` or `base64 decode error` */
export function parseAwakeableId(text: string): AwakeableId {
  const at = text.indexOf("_");
  const prefix = at < 0 ? "" : text.slice(0, at);
  if (prefix !== "sign" && prefix !== "prom") throw new IdError("bad format");
  if (text[at + 1] !== "1") throw new IdError("unrecognized codec version");
  const digits = text.slice(at + 2).replace(/={1,2}$/, "");
  if (digits.length !== PAYLOAD_LENGTH) throw new IdError("bad length");
  const payload = fromBase64url(digits);
  return {
    kind: prefix === "sign" ? "signal" : "entry",
    invocationId: invocationIdFromBytes(payload.subarray(0, INVOCATION_ID_BYTES)),
    index: new DataView(payload.buffer).getUint32(INVOCATION_ID_BYTES),
  };
}

/** Bits beyond the last whole byte must be zero, so that an awakeable has exactly one text, apart from the padding. */
function fromBase64url(digits: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * 6) / 8));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const digit of digits) {
    const value = VALUES.get(digit);
    if (value === undefined) throw new IdError("base64 decode error");
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = bits >>> held;
    bits &= (1 << held) - 1;
  }
  if (bits !== 0) throw new IdError("base64 decode error");
  return bytes;
}
