/** Converts between bytes and hexadecimal digits; `hex` also accepts spaces between the digits. */

export function hex(digits: string): Uint8Array {
  const packed = digits.replace(/\s+/g, "");
  if (!/^([0-9a-f]{2})*$/.test(packed)) throw new Error(`not hexadecimal: ${digits}`);
  return Uint8Array.from(packed.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const text = (content: string): Uint8Array => new Uint8Array(new TextEncoder().encode(content));
