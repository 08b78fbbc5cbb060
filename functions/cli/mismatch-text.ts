/** Shows a journal mismatch (RT0016) side by side, with the commands of each way out. */
import type { MismatchBody, MismatchSideBody } from "../../shared/api/wire/invocation.ts";
import { momentText } from "./moment.ts";
import { indented, pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

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
    foreignLine(recorded),
    foreignLine(offered),
  ]);
  return tableText(colours, ["", "ENTRY", "JOURNAL", "CODE NOW"], cells);
}

function recorderText({ entry: differing, rows, journal }: MismatchBody): string {
  if (journal !== undefined) return `${sideText(journal)}, at ${momentText(journal.at)}`;
  const isRecorded = rows.some(({ entry, recorded }) => entry === differing && recorded !== undefined);
  return isRecorded ? "by an unknown deployment" : "nothing: the journal ends before this entry";
}

function sideText({ deployment_id: id, revision, address }: MismatchSideBody): string {
  if (address === undefined) return foreignLine(`${id}, which is gone`);
  return foreignLine(`${id}${revision === undefined ? "" : `, revision ${revision}`}, at ${address}`);
}

function waysText(colours: Colours, { ways_out: ways }: MismatchBody): string {
  const texts = ways.map(({ text, commands }, at) => {
    const lines = commands.map((command) => `     ${colours.bold(foreignLine(command))}`);
    return [`  ${at + 1}. ${foreignLine(text)}`, ...lines].join("\n");
  });
  return texts.join("\n");
}
