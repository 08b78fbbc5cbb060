/** Writes what runs of the proof have played into `docs/reliability.json`, and from there into the page. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sumOf } from "./figures.mjs";

const DOCS = join(import.meta.dirname, "../../docs");
const PAGE = join(DOCS, "reliability.md");
const KEPT = join(DOCS, "reliability.json");
const BEGIN = "<!-- written by `npm run prove -- --write-docs` -->\n";
const END = "<!-- end -->";

/**
 * Keeps the chunks that a run has played without a failure. A long form may be played in pieces, at several commits.
 * @param run `{ version, form, node, cpu, parts }` as `--json` prints it
 */
export function writeDocs(run) {
  const kept = withRun(readKept(), run);
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), kept));
}

/** @returns what is kept with the chunks of a run. An earlier piece that has one of them is dropped, because its figures are a sum. */
export function withRun(kept, { version, form, node, cpu, parts }) {
  const next = { ...kept };
  for (const { name, chunks: of, played } of parts) {
    const chunks = played.map(({ number }) => number);
    const before = piecesOf(kept, name, form).filter((piece) => !numbersIn(piece).some((one) => chunks.includes(one)));
    if (chunks.length > 0)
      before.push({
        version,
        node,
        cpu,
        chunks: inRanges(chunks),
        seconds: secondsOf(played),
        figures: sumOf(figuresOf(played)),
      });
    if (before.length > 0) next[name] = { ...next[name], [form]: { of, pieces: before } };
  }
  return next;
}

/** @returns the numbers of the chunks that the page has */
export function chunksKept(kept, name, form) {
  return new Set(piecesOf(kept, name, form).flatMap(numbersIn));
}

/** `[1, 2, 3, 5]` becomes "1-3 5". */
function inRanges(numbers) {
  const ranges = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 === number) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(" ");
}

function numbersIn({ chunks }) {
  return chunks.split(" ").flatMap((range) => {
    const [from, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

function piecesOf(kept, name, form) {
  return kept[name]?.[form]?.pieces ?? [];
}

function secondsOf(pieces) {
  return pieces.reduce((sum, { seconds }) => sum + seconds, 0);
}

function figuresOf(pieces) {
  return pieces.map(({ figures }) => figures);
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
    Object.entries(forms).map(([form, { of, pieces }]) => {
      const figures = inWords(sumOf(figuresOf(pieces)));
      const chunks = pieces.reduce((sum, piece) => sum + numbersIn(piece).length, 0);
      const versions = [...new Set(pieces.map(({ version }) => version))].join(", ");
      return `| \`${name}\` | ${form} | ${figures} | ${numberOf(secondsOf(pieces))} s, ${chunks} of ${of} ${of === 1 ? "chunk" : "chunks"} | ${versions} |\n`;
    }),
  );
  return `\n| part | form | what it played without a failure | time | commits |\n|---|---|---|---|---|\n${rows.join("")}\n`;
}

/** The table leaves out details: how often each numbered difference and each operation came. */
const DETAIL = /\d|^operation-/;

/** `killsDuringWork: 3` becomes "3 kills during work". */
function inWords(figures) {
  if (Object.keys(figures).length === 0) return "its tests";
  return Object.entries(figures)
    .filter(([name]) => !DETAIL.test(name))
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
