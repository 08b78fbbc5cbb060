/** Writes what runs of the proof have played into `docs/reliability.json`, and from there into the page. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dirname, "../../docs");
const PAGE = join(DOCS, "reliability.md");
const KEPT = join(DOCS, "reliability.json");
const BEGIN = "<!-- written by `npm run prove -- --write-docs` -->\n";
const END = "<!-- end -->";

/**
 * Keeps the parts that a run has played whole and without a failure, in place of what the page had of them.
 * @param run `{ version, form, node, cpu, parts }` as `--json` prints it
 */
export function writeDocs({ version, form, node, cpu, parts }) {
  const kept = readKept();
  for (const { name, chunks, failed, seconds, figures } of parts) {
    if (failed > 0) continue;
    kept[name] = { ...kept[name], [form]: { version, node, cpu, chunks, seconds, figures } };
  }
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), kept));
}

export function readKept() {
  return JSON.parse(readFileSync(KEPT, "utf8"));
}

/** @returns the page with the table of what was played */
export function withTable(page, kept) {
  const [before, rest] = page.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  return [before, BEGIN, tableOf(kept), after].join("");
}

function tableOf(kept) {
  const rows = Object.entries(kept).flatMap(([name, forms]) =>
    Object.entries(forms).map(
      ([form, { version, chunks, seconds, figures }]) =>
        `| \`${name}\` | ${form} | ${inWords(figures)} | ${numberOf(seconds)} s in ${chunks} ${chunks === 1 ? "chunk" : "chunks"} | ${version} |\n`,
    ),
  );
  return `\n| part | form | what it played without a failure | time | commit |\n|---|---|---|---|---|\n${rows.join("")}\n`;
}

/** `killsDuringWork: 3` becomes "3 kills during work". A name with a digit is a detail that the table leaves out. */
function inWords(figures) {
  return Object.entries(figures)
    .filter(([name]) => !/\d/.test(name))
    .map(([name, value]) =>
      name.endsWith("Max")
        ? `${wordsOf(name.slice(0, -3))} at most ${numberOf(value)}`
        : `${numberOf(value)} ${wordsOf(name)}`,
    )
    .join(", ");
}

function wordsOf(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[:-]/g, " ");
}

function numberOf(value) {
  return value.toLocaleString("en");
}
