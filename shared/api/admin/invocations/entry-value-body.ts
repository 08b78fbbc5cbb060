/** Writes the values of journal entries as text or as base64, within a bound for the whole answer. */
import { VALUE_MAX_BYTES, VALUES_MAX_BYTES, type ValueBody } from "../../contract/invocations.ts";

/**
 * JSON writes each byte of a text as at most two bytes, because a value with any control character other than \n, \r and \t
 * becomes base64.
 */
const GROWTH_MAX = 2;
/** The base64 of a single byte. */
const ENCODED_MIN_BYTES = 4;
const SHORT_ESCAPES = /[\n\r\t]/g;

/**
 * @param valueMaxBytes the largest part of one value
 * @returns a function that writes one value after the other; what exceeds the bound is cut
 */
export function valueWriter(valueMaxBytes = VALUE_MAX_BYTES): (value: Uint8Array) => ValueBody {
  let leftBytes = VALUES_MAX_BYTES;
  return (value) => {
    const room = leftBytes < ENCODED_MIN_BYTES ? 0 : Math.floor(leftBytes / GROWTH_MAX);
    const takenBytes = Math.min(value.length, valueMaxBytes, room);
    const isCut = takenBytes < value.length;
    const cut = isCut ? ({ cut: true } as const) : {};
    if (isCut && takenBytes === 0) return { size: value.length, ...cut };
    const taken = value.subarray(0, takenBytes);
    const text = textOf(taken, isCut);
    if (text === undefined) {
      const base64 = Buffer.from(taken).toString("base64");
      leftBytes -= base64.length;
      return { size: value.length, base64, ...cut };
    }
    leftBytes -= Buffer.byteLength(JSON.stringify(text)) - '""'.length;
    return { size: value.length, text, ...cut };
  };
}

/** @param isCut whether the bytes may end within a character; such an incomplete character is left out */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return /\p{Cc}/u.test(text.replaceAll(SHORT_ESCAPES, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}
