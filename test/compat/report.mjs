/** From measurements to a table in Markdown: medians over the rounds, and ratios with their spread. */

/** @typedef {{ contestant: string, round: number, shape: string, connections: number }} Labels */

const COLUMNS = [
  { of: "callsPerSecond", title: "calls/s", digits: 0 },
  { of: "p50Ms", title: "p50 ms", digits: 2 },
  { of: "p99Ms", title: "p99 ms", digits: 1 },
  { of: "serverCpu", title: "server CPU", digits: 3 },
  { of: "deploymentCpu", title: "handler CPU", digits: 3 },
  { of: "residentMb", title: "RSS MB", digits: 0 },
];

/** @param rows each a measurement with its labels; @param names of the contestants, the measured one first */
export function report(rows, names, shapes, connections) {
  const [ours, ...others] = names;
  const titles = ["shape", "clients", "server", ...COLUMNS.map(({ title }) => title), "failures"];
  const lines = [line(titles), line(titles.map(() => "---"))];
  for (const shape of shapes) {
    for (const count of connections) {
      const of = (name) =>
        rows.filter((row) => row.contestant === name && row.shape === shape.name && row.connections === count);
      for (const name of names) lines.push(line([shape.title, count, name, ...medians(of(name)), failures(of(name))]));
      for (const other of others)
        lines.push(line([shape.title, count, `**${ours} / ${other}**`, ...ratios(of(ours), of(other)), ""]));
    }
  }
  return [
    "Medians of the rounds; CPU in seconds per 1,000 calls (equal to ms per call), of the whole process with its threads.",
    "A ratio is the median of the ratios of the rounds, its least and its greatest in brackets.",
    "",
    ...lines,
  ].join("\n");
}

/** What the servers did after the load was over: work that was put off, divided by the calls that caused it. */
export function afterwards(rows, names, shapes) {
  const titles = ["CPU per 1,000 calls afterwards", ...names];
  const lines = shapes.map(({ title, name: shape }) => {
    const of = (name) => rows.filter((row) => row.contestant === name && row.shape === shape);
    return line([title, ...names.map((name) => median(of(name).map((row) => row.serverCpu)).toFixed(3))]);
  });
  return [line(titles), line(titles.map(() => "---")), ...lines].join("\n");
}

function medians(rows) {
  return COLUMNS.map(({ of, digits }) => median(rows.map((row) => row[of])).toFixed(digits));
}

/** Round by round, because the two measurements of a round met the same weather. */
function ratios(ours, theirs) {
  return COLUMNS.map(({ of }) => {
    const each = ours.flatMap((row) => {
      const other = theirs.find(({ round }) => round === row.round);
      return other === undefined ? [] : [row[of] / other[of]];
    });
    const [least, most] = [Math.min(...each), Math.max(...each)];
    return `**${median(each).toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`;
  });
}

function failures(rows) {
  return rows.reduce((sum, row) => sum + row.failures, 0);
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function line(cells) {
  return `| ${cells.join(" | ")} |`;
}
