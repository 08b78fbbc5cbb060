/** A number from a text, the same for ever and evenly spread: for what is divided among equals, never for what must stay secret. */

/** FNV-1a. @returns a whole number of 32 bits, not negative */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
