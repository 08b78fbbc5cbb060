/** The journal of an invocation as a table, in which each entry has the index that `restart --from` takes. */
import type { EntryBody } from "../../../shared/api/contract/invocations.ts";
import { momentText } from "./moment.ts";
import { tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

export function journalText(colours: Colours, entries: readonly EntryBody[]): string {
  const rows = entries.map((entry) => [
    String(entry.index),
    momentText(entry.at),
    foreignLine(entry.type),
    foreignLine(entry.name ?? ""),
    aboutText(entry),
  ]);
  const isTold = rows.some((row) => row[4] !== "");
  const heads = ["ENTRY", "AT", "TYPE", "NAME", ...(isTold ? ["ABOUT"] : [])];
  return tableText(
    colours,
    heads,
    rows.map((row) => row.slice(0, heads.length)),
  );
}

/** A state key may contain any character; the quotes show where it ends. */
function aboutText(entry: EntryBody): string {
  const { key, target, invocation_id: id, signal, wake_at: wakeAt, completes, failed } = entry;
  if (key !== undefined) return `"${foreignLine(key)}"`;
  if (wakeAt !== undefined) return `until ${momentText(wakeAt)}`;
  const named = signal === undefined ? undefined : `"${signal}"`;
  const other = [named, target, id].filter((part) => part !== undefined).join(" ");
  const about = other === "" && completes !== undefined ? `completes ${completes}` : foreignLine(other);
  return failed === true ? `${about} with a failure`.trim() : about;
}
