/** Turns measurements into tables in Markdown: medians over the rounds, and ratios with their spread. */

/** @typedef {{ contestant: string, round: number, shape: string, connections: number }} Labels */

const COLUMNS = [
  { of: "callsPerSecond", title: "calls/s", digits: 0 },
  { of: "p50Ms", title: "p50 ms", digits: 2 },
  { of: "p99Ms", title: "p99 ms", digits: 1 },
  { of: "serverCpu", title: "server CPU", digits: 3 },
  { of: "deploymentCpu", title: "handler CPU", digits: 3 },
  { of: "residentMb", title: "server RSS MB", digits: 0 },
  { of: "deploymentMb", title: "handler RSS MB", digits: 0 },
  { of: "endedPerSecond", title: "ended/s", digits: 0 },
];
export const NOTHING = "–";
/** The share of the CPUs that the kernel and the usual services of an idle machine need. */
export const OTHERS_SHARE_MAX = 0.1;

/**
 * @param rows the measurements, each with its labels
 * @param names the names of the contestants, in the order of the table
 */
export function mediansTable(rows, names, shapes, connections) {
  const lines = eachCell(shapes, connections, (shape, count) =>
    names.map((name) => {
      const of = rowsOf(rows, name, shape, count);
      const failures = of.reduce((sum, row) => sum + row.failures, 0);
      const medians = COLUMNS.map(({ of: key, digits }) => shown(median(numbers(of.map((row) => row[key]))), digits));
      return [shape.title, count, name, ...medians, failures];
    }),
  );
  return table(["shape", "clients", "server", ...COLUMNS.map(({ title }) => title), "failures"], lines);
}

/** @param other the name of the contestant whose measurements are the divisors of the ratios */
export function ratiosTable(rows, ours, other, shapes, connections) {
  const has = (key) => rows.some((row) => row.contestant === other && row[key] !== undefined);
  const columns = COLUMNS.filter(({ of }) => has(of));
  const lines = eachCell(shapes, connections, (shape, count) => {
    const ratios = columns.map(({ of }) => ratioText(ratioOf(rows, ours, other, shape, count, of)));
    return [[shape.title, count, ...ratios]];
  });
  return table(["shape", "clients", ...columns.map(({ title }) => title.replace(/ (ms|MB)$/, ""))], lines);
}

/** The median of the ratios in bold, and their spread. */
export function ratioText({ middle, least, most }) {
  return Number.isFinite(middle) ? `**${shown(middle, 2)}** (${shown(least, 2)}–${shown(most, 2)})` : NOTHING;
}

/** Divides round by round, because the measurements of a round share the state of the machine. */
export function ratioOf(rows, ours, other, shape, connections, key) {
  const theirs = rowsOf(rows, other, shape, connections);
  const each = numbers(
    rowsOf(rows, ours, shape, connections).map(
      (row) => row[key] / theirs.find(({ round }) => round === row.round)?.[key],
    ),
  );
  return { middle: median(each), least: Math.min(...each), most: Math.max(...each) };
}

/** The work of the servers after the load: postponed work, divided by the calls that caused it. */
export function afterwardsTable(rows, names, shapes) {
  const lines = shapes.map(({ title, name: shape }) => {
    const of = (name) => rows.filter((row) => row.contestant === name && row.shape === shape);
    return [title, ...names.map((name) => shown(median(of(name).map((row) => row.serverCpu)), 3))];
  });
  return table(["CPU per 1,000 calls afterwards", ...names], lines);
}

/** The bytes that a whole round left on the disk. */
export function disksTable(disks, names) {
  const lines = names.map((name) => {
    const of = disks.filter((disk) => disk.contestant === name);
    const perCall = median(of.map(({ megabytes, calls }) => (megabytes * 1024) / calls));
    const [megabytes, calls] = ["megabytes", "calls"].map((key) => shown(median(of.map((disk) => disk[key])), 0));
    return [name, calls, megabytes, shown(perCall, 2)];
  });
  return table(["server", "calls of a round", "MB on the disk after it", "KB per call"], lines);
}

export function table(titles, rows) {
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** NaN for an empty list. */
export function median(values) {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function rowsOf(rows, name, shape, connections) {
  return rows.filter((row) => row.contestant === name && row.shape === shape.name && row.connections === connections);
}

function eachCell(shapes, connections, linesOf) {
  return shapes.flatMap((shape) => connections.flatMap((count) => linesOf(shape, count)));
}

function numbers(values) {
  return values.filter(Number.isFinite);
}

/** The number with this many digits after the point; `NOTHING` for a missing one. */
export function shown(number, digits) {
  return Number.isFinite(number) ? number.toFixed(digits) : NOTHING;
}
