/** Converts the bytes of a value to the text that an editor shows, and back: UTF-8 becomes text, other bytes hexadecimal. */
import { prettyJson, utf8Text } from "../../shared/api/wire/pretty-json.ts";

export type ByteForm = "text" | "hex";

const HEX_IN_LINE = 32;

export function formOf(bytes: Uint8Array): ByteForm {
  return utf8Text(bytes) === undefined ? "hex" : "text";
}

/** JSON is indented, and other text is as it is. */
export function editableText(bytes: Uint8Array, form: ByteForm): string {
  return form === "text" ? prettyJson(new TextDecoder().decode(bytes)) : hexText(bytes);
}

/** @returns undefined for a text that is not hexadecimal */
export function bytesOfText(text: string, form: ByteForm): Uint8Array<ArrayBuffer> | undefined {
  if (form === "text") return Uint8Array.from(new TextEncoder().encode(text));
  const digits = text.replaceAll(/\s/g, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

function hexText(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_IN_LINE) {
    lines.push(
      Array.from(bytes.subarray(at, at + HEX_IN_LINE), (byte) => byte.toString(16).padStart(2, "0")).join(" "),
    );
  }
  return lines.join("\n");
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
