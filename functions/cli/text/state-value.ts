/** Converts state values between bytes and command-line text; the SDKs store most values as JSON. */
import { CommandFailure, EXIT_USAGE } from "./command-failure.ts";
import { isJson } from "../../../shared/api/wire/pretty-json.ts";

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

/** How `state set` reads a value: as the value that it replaces was stored, always as JSON, or always as a text. */
export type ValueForm = "present" | "json" | "text";

/**
 * @param written a text in the format of `stateText`
 * @param present the stored bytes that the value replaces
 * @throws CommandFailure if the value is not of the type that it is to have
 */
export function stateBytes(
  name: string,
  written: string,
  form: ValueForm,
  present: readonly number[] | undefined,
): readonly number[] {
  const inBase64 = form === "text" ? null : /^base64:([A-Za-z0-9+/]*={0,2})$/.exec(written);
  if (inBase64 !== null) return [...Buffer.from(inBase64[1]!, "base64")];
  return [...Buffer.from(storedText(name, written, form, present), "utf8")];
}

function storedText(name: string, written: string, form: ValueForm, present: readonly number[] | undefined): string {
  const asText = JSON.stringify(written);
  if (form === "text") return asText;
  const given = typeOf(written);
  if (form === "json") {
    if (given !== undefined) return written;
    throw mistyped(`The value of '${name}' is not JSON: ${written}`);
  }
  const kept = present === undefined ? undefined : typeOf(stateText(present));
  // A new value, a null, and bytes that are no JSON have no type that could be kept.
  if (kept === undefined || kept === "null") return given === undefined ? asText : written;
  if (given === kept) return written;
  if (kept === "text") return asText;
  const would = given === undefined ? "the new value is a text" : `the new value has the type ${given}`;
  throw mistyped(`'${name}' has the type ${kept}, and ${would}: ${written}`);
}

function mistyped(message: string): CommandFailure {
  return new CommandFailure(message, {
    exitCode: EXIT_USAGE,
    fix: "Write a value of the present type, or choose the type: --as json takes any JSON, such as 12 or '{\"a\":1}', and --as text takes any text.",
  });
}

/** @returns undefined if the text is not JSON */
function typeOf(written: string): "text" | "number" | "boolean" | "null" | "list" | "object" | undefined {
  if (!isJson(written)) return undefined;
  const value: unknown = JSON.parse(written);
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  return typeof value === "number" || typeof value === "boolean" ? (typeof value as "number" | "boolean") : "object";
}
