/** A payload as text that can be shown: indented JSON, plain text, or the first bytes in hexadecimal. */
import { isJson, prettyJson, utf8Text } from "../../shared/api/wire/pretty-json.ts";
import { visibleText } from "./visible-text.ts";

export interface ShownPayload {
  readonly kind: "empty" | "json" | "text" | "binary";
  readonly text: string;
}

/** Above this size, a payload is shown as it came, because indenting would block the page. */
const PRETTY_MAX_CHARS = 256 * 1024;
const HEX_BYTES = 256;
const HEX_IN_LINE = 16;

export function shownText(text: string): ShownPayload {
  if (text === "") return { kind: "empty", text: "" };
  if (text.length > PRETTY_MAX_CHARS || !isJson(text)) return { kind: "text", text: visibleText(text) };
  return { kind: "json", text: visibleText(prettyJson(text)) };
}

export function shownBytes(bytes: Uint8Array): ShownPayload {
  const text = utf8Text(bytes);
  return text === undefined ? { kind: "binary", text: hexLines(bytes.subarray(0, HEX_BYTES)) } : shownText(text);
}

export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_IN_LINE) {
    const line = bytes.subarray(at, at + HEX_IN_LINE);
    lines.push([...line].map((byte) => byte.toString(16).padStart(2, "0")).join(" "));
  }
  return lines.join("\n");
}
