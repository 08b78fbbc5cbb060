/** A payload as text that can be shown: indented JSON, plain text, or the first bytes in hexadecimal. */
import { isJson, jsonBeginning, prettyJson, utf8Text } from "../../shared/api/wire/pretty-json.ts";
import { sizeText } from "./size-text.ts";
import { visibleText } from "./visible-text.ts";

export interface ShownPayload {
  readonly kind: "empty" | "json" | "text" | "binary";
  readonly text: string;
}

/** Above this size, only the beginning is indented, because indenting all of it would block the page. */
const PRETTY_MAX_CHARS = 256 * 1024;
const HEX_BYTES = 256;
const HEX_IN_LINE = 16;

/** @param isCut whether the text is only the beginning of the payload */
export function shownText(text: string, isCut = false): ShownPayload {
  if (text === "") return { kind: "empty", text: "" };
  if (isCut) {
    const beginning = jsonBeginning(text.slice(0, PRETTY_MAX_CHARS));
    return beginning === undefined
      ? { kind: "text", text: visibleText(text) }
      : { kind: "json", text: visibleText(beginning) };
  }
  if (!isJson(text)) return { kind: "text", text: visibleText(text) };
  if (text.length <= PRETTY_MAX_CHARS) return { kind: "json", text: visibleText(prettyJson(text)) };
  return { kind: "json", text: visibleText(text) };
}

/** `JSON · 4.2 KB`; `JSON, cut: the first 64 KB of 1 MB`. */
export function payloadLabel(
  kind: ShownPayload["kind"],
  { here, bytes, isCut }: { readonly here: number; readonly bytes: number; readonly isCut: boolean },
): string {
  const name = kind === "json" ? "JSON" : kind;
  if (!isCut) return `${name} · ${sizeText(bytes)}`;
  return here === 0
    ? `too large to show: ${sizeText(bytes)}`
    : `${name}, cut: the first ${sizeText(here)} of ${sizeText(bytes)}`;
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
