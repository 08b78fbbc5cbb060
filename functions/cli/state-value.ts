/** Converts state values between bytes and command-line text; the SDKs store most values as JSON. */
import { isJson } from "../../shared/api/wire/pretty-json.ts";

/** The value as text; bytes that are not UTF-8 become base64 with a prefix. */
export function stateText(bytes: readonly number[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return `base64:${Buffer.from(bytes).toString("base64")}`;
  }
}

/** The stored text itself if it is JSON, so that large integers keep their digits; otherwise the text as a JSON string. */
export function stateJson(bytes: readonly number[]): string {
  const text = stateText(bytes);
  return isJson(text) ? text : JSON.stringify(text);
}

/** @param written a text in the format of `stateText`; a text that is not JSON becomes a JSON string */
export function stateBytes(written: string): readonly number[] {
  const inBase64 = /^base64:([A-Za-z0-9+/]*={0,2})$/.exec(written);
  if (inBase64 !== null) return [...Buffer.from(inBase64[1]!, "base64")];
  return [...Buffer.from(isJson(written) ? written : JSON.stringify(written), "utf8")];
}
