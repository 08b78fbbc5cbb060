/** The external caller that the ingress authenticated, as one line of text that fits into a header. */

/** The header that names the caller to handlers. Only the engine writes it. */
export const CALLER_HEADER = "x-stepwell-caller";

/**
 * An ARN has at most 2,048 characters; a token's subject has at most 255 (OpenID Connect), preceded by the address of
 * its issuer.
 */
export const CALLER_MAX_CHARACTERS = 2_048;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** True if the text may name a caller: short enough, and printable ASCII, which logs and headers show unambiguously. */
export function isCaller(text: string): boolean {
  return text.length <= CALLER_MAX_CHARACTERS && PRINTABLE.test(text);
}

/** @param name a header name, in any case */
export function isCallerHeader(name: string): boolean {
  return name.length === CALLER_HEADER.length && name.toLowerCase() === CALLER_HEADER;
}
