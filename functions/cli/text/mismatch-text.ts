/** Shows a journal mismatch (RT0016) side by side, with the commands of each way out. */
import type { MismatchBody, MismatchSideBody } from "../../../shared/api/contract/invocations.ts";
import { momentText } from "./moment.ts";
import { indented, pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { cutLine, foreignLine } from "./visible-text.ts";

/**
 * The largest width of a text. A longer text is cut, because a terminal would wrap it, and the two sides would no
 * longer be side by side.
 */
const CELL_MAX = 100;

export function mismatchText(colours: Colours, body: MismatchBody): string {
  const { entry, journal, code } = body;
  const isInPlace = journal?.deployment_id === code.deployment_id;
  const sides = pairsText(colours, [
    ["Recorded", recorderText(body)],
    ["Code now", isInPlace ? `${sideText(code)}: the same deployment, whose code has changed` : sideText(code)],
  ]);
  const head = colours.red(`The code and the journal differ at entry ${entry}:`);
  const parts = [indented(rowsText(colours, body)), indented(sides), "Ways out:", waysText(colours, body)];
  return `${head}\n${parts.join("\n\n")}`;
}

function rowsText(colours: Colours, { entry: differing, rows }: MismatchBody): string {
  const cells = rows.map(({ entry, recorded = "nothing", offered = "not reached" }) => [
    entry === differing ? ">" : "",
    String(entry),
    cellText(recorded),
    cellText(offered),
  ]);
  return tableText(colours, ["", "ENTRY", "JOURNAL", "CODE NOW"], cells);
}

/** The text on one line of a column, without control characters: a handler chose the text. */
function cellText(text: string): string {
  return cutLine(foreignLine(text), CELL_MAX);
}

function recorderText({ entry: differing, rows, journal }: MismatchBody): string {
  if (journal !== undefined) return `by ${sideText(journal, "now ")}, at ${momentText(journal.at)}`;
  const isRecorded = rows.some(({ entry, recorded }) => entry === differing && recorded !== undefined);
  return isRecorded ? "by an unknown deployment" : "nothing: the journal ends before this entry";
}

/**
 * @param since a word before the revision. For a recorded entry it is `now`: the revision shown is the present one, and
 *   an earlier revision may have recorded the entry.
 */
function sideText({ deployment_id: id, revision, address }: MismatchSideBody, since = ""): string {
  if (address === undefined) return foreignLine(`${id}, which is gone`);
  return foreignLine(`${id}${revision === undefined ? "" : `, ${since}revision ${revision}`}, at ${address}`);
}

function waysText(colours: Colours, { ways_out: ways }: MismatchBody): string {
  const texts = ways.map(({ text, commands }, at) => {
    const lines = commands.map((command) => `     ${colours.bold(foreignLine(command))}`);
    return [`  ${at + 1}. ${foreignLine(text)}`, ...lines].join("\n");
  });
  return texts.join("\n");
}
