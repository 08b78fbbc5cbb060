/** Who called from outside, as the door has authenticated them: one line of text that fits into a header. */

/** Under this name handlers get the caller. Nobody else says it to them. */
export const CALLER_HEADER = "x-stepwell-caller";

/** An ARN has 2,048 at most, and the subject of a token 255 (OpenID Connect), behind the address of its issuer. */
export const CALLER_MAX_CHARACTERS = 2_048;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** Whether a text may stand for a caller: printable ASCII, so that neither a log nor a header reads it in two ways. */
export function isCaller(text: string): boolean {
  return text.length <= CALLER_MAX_CHARACTERS && PRINTABLE.test(text);
}

/** @param name of a header, in any case */
export function isCallerHeader(name: string): boolean {
  return name.length === CALLER_HEADER.length && name.toLowerCase() === CALLER_HEADER;
}
