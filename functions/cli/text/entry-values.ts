/** Formats the values of journal entries. */
import type { EntryBody, ValueBody } from "../../../shared/api/contract/invocations.ts";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";
import { indented } from "./table.ts";
import { foreignLine, foreignText } from "./visible-text.ts";

/** @returns the empty text if no entry has a value */
export function valuesText(entries: readonly EntryBody[]): string {
  const parts = entries.flatMap(({ index, type, value }) => {
    if (value === undefined) return [];
    const text = shown(value);
    return [`  ${index}  ${foreignLine(type)}${noteOf(value)}`, ...(text === "" ? [] : [indented(text, "     ")])];
  });
  return parts.length === 0 ? "" : `\n\nValues:\n${parts.join("\n")}`;
}

function noteOf({ size, text = "", base64 = "", cut }: ValueBody): string {
  if (size === 0) return ", empty";
  if (cut === undefined) return "";
  return text === "" && base64 === "" ? `, ${size} bytes, left out` : `, cut: the beginning of ${size} bytes`;
}

function shown({ text, base64, cut }: ValueBody): string {
  if (base64 !== undefined) return `base64:${base64}`;
  return foreignText(cut === undefined ? prettyJson(text ?? "") : (text ?? ""));
}
