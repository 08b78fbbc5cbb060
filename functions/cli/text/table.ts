/** Formats rows as a table of aligned columns without borders. */
import Table from "cli-table3";
import type { Colours } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

const LINES =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";
const NO_LINES = Object.fromEntries([...LINES.split(" "), "middle"].map((name) => [name, ""]));

/**
 * @param rows one cell for each head
 * @param alignments one for each head; all to the left by default
 * @returns lines without a trailing newline
 */
export function tableText(
  colours: Colours,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly ("left" | "right")[] = [],
): string {
  const table = new Table({
    chars: NO_LINES,
    style: { "padding-left": 0, "padding-right": 2, head: [], border: [] },
    head: heads.map((head) => colours.bold(head)),
    colAligns: [...alignments],
  });
  table.push(...rows.map((row) => row.map(visibleText)));
  return trimmed(table.toString());
}

/** Name and value pairs; pairs without a value are left out. */
export function pairsText(colours: Colours, pairs: readonly (readonly [string, string | undefined])[]): string {
  const table = new Table({ chars: NO_LINES, style: { "padding-left": 0, "padding-right": 2, head: [], border: [] } });
  for (const [name, value] of pairs) if (value !== undefined) table.push([colours.bold(name), visibleText(value)]);
  return trimmed(table.toString());
}

export function indented(text: string, by = "  "): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** The padding of the columns leaves trailing spaces, which would be copied with the text. */
function trimmed(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
