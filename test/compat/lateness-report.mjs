/** Turns the latenesses of sleeping invocations into tables in Markdown. */
import { median, ratioOf, ratioText, shown, table } from "./report.mjs";

/** The kinds of sleeping invocations, in the order of the tables. */
export const NAPS = [
  { name: "nap", title: "exchange kept open", path: "bench/nap" },
  { name: "suspended-nap", title: "suspended", path: "suspending/nap" },
];

const COLUMNS = [
  { of: "p50Ms", title: "p50" },
  { of: "p99Ms", title: "p99" },
  { of: "maxMs", title: "max" },
];

/**
 * @param latenessesMs of the naps that began in time, that is, before the moment at which they wake
 * @returns `inTime`, the number of these naps, and the percentiles of their latenesses; an empty list has no percentiles
 */
export function distributionOf(latenessesMs) {
  const sorted = latenessesMs.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)];
  return { inTime: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) };
}

/**
 * @param names the names of the contestants; if there are two, the table divides the measurements of the first by those of the
 * second
 */
export function latenessTable(rows, names) {
  const [ours, theirs] = names;
  const kinds = NAPS.flatMap((nap) => callersOf(rows).map((connections) => ({ nap, connections })));
  const lines = kinds.flatMap(({ nap, connections }) =>
    names.map((name) => {
      const of = rows.filter((row) => isOf(row, name, nap, connections));
      const medians = COLUMNS.map(({ of: key }) => median(of.map((row) => row[key]).filter(Number.isFinite)));
      const missed = of.reduce((sum, row) => sum + row.woken - row.inTime, 0);
      const missing = of.reduce((sum, row) => sum + row.naps - row.woken, 0);
      const ratios = COLUMNS.map(({ of: key }) =>
        name === ours && theirs !== undefined ? ratioText(ratioOf(rows, ours, theirs, nap, connections, key)) : "",
      );
      return [nap.title, connections, name, ...medians.map((ms) => shown(ms, 1)), missed, missing, ...ratios];
    }),
  );
  const ratioTitles =
    theirs === undefined ? COLUMNS.map(() => "") : COLUMNS.map(({ title }) => `${title}, ${ours} / ${theirs}`);
  const titles = [
    "invocation",
    "calling clients",
    "server",
    ...COLUMNS.map(({ title }) => `${title} ms`),
    "began late",
    "missing",
  ];
  return table([...titles, ...ratioTitles], lines);
}

function callersOf(rows) {
  return [...new Set(rows.map(({ connections }) => connections))].toSorted((one, other) => one - other);
}

function isOf(row, name, nap, connections) {
  return row.contestant === name && row.shape === nap.name && row.connections === connections;
}
