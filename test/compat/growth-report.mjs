/** Turns the steps of the growth bench into Markdown tables, points of the charts, and a section of docs/performance.md. */
import { NOTHING, OTHERS_SHARE_MAX, shown, table } from "./report.mjs";

/** @typedef {{ contestant: string, series: string, size: number }} Labels of a step */

export const SERIES = [
  { name: "stored", title: "ended invocations that are kept", chart: "performance-growth-stored.svg" },
  { name: "sleeping", title: "invocations that sleep, suspended", chart: "performance-growth-sleeping.svg" },
];

/** The panels of each chart, in their order; the measured value divided by `per` has the unit of the title. */
export const PANELS = [
  { of: "callsPerSecond", title: "calls per second" },
  { of: "p99Ms", title: "p99 of a call (ms)" },
  { of: "residentMb", title: "memory of the server (MB)" },
  { of: "restartMs", title: "restart until the first answer (s)", per: 1000 },
  { of: "pageMs", title: "list of 50 (ms)" },
  { of: "countMs", title: "count of all (s)", per: 1000 },
];

const COLUMNS = [
  { of: "callsPerSecond", title: "calls/s", digits: 0 },
  { of: "p99Ms", title: "p99 ms", digits: 1 },
  { of: "residentMb", title: "server RSS MB", digits: 0 },
  { of: "diskMb", title: "disk MB", digits: 0 },
  { of: "restartMs", title: "restart ms", digits: 0 },
  { of: "callsPerSecondAfterRestart", title: "calls/s after it", digits: 0 },
  { of: "pageMs", title: "list of 50 ms", digits: 0 },
  { of: "newestMs", title: "newest 50 ms", digits: 0 },
  { of: "listMs", title: "admin list of 50 ms", digits: 0 },
  { of: "countMs", title: "count ms", digits: 0 },
  { of: "failures", title: "failures", digits: 0 },
];

export function growthTable(steps, series) {
  const lines = steps
    .filter((step) => step.series === series)
    .map((step) => [
      step.size.toLocaleString("en"),
      step.contestant,
      ...COLUMNS.map(({ of, digits }) => shown(step[of], digits)),
    ]);
  return table([series, "server", ...COLUMNS.map(({ title }) => title)], lines);
}

/** @returns the points that a panel shows; a measurement that is missing has no point */
export function pointsOf(steps, series, { of, per = 1 }) {
  return steps
    .filter((step) => step.series === series && Number.isFinite(step[of]))
    .map(({ contestant, size, [of]: value }) => ({ server: contestant, size, value: value / per }));
}

/** @param growth the content of docs/performance-growth.json */
export function growthSection({ machine, method, steps }) {
  const measured = SERIES.filter(({ name }) => steps.some(({ series }) => series === name));
  const parts = measured.map(
    ({ name, title, chart }) => `### With ${title}

![${PANELS.map((panel) => panel.title).join(", ")}: ours and theirs against the number of ${title}](${chart})

${growthTable(steps, name)}`,
  );
  return `## With what is stored

What the same calls, a restart and lists cost as invocations pile up. \`npm run bench:growth -- --write-docs\` writes this section, its charts and
[performance-growth.json](performance-growth.json).

${parts.join("\n\n")}

- Each step has a new server, a new process of handlers and an empty directory. It is filled by plain calls, or by sends to a handler that sleeps for a
  day and is suspended at once. Then come the lists, each the median of three; 2 s of warm-up and ${method.seconds} s of plain calls by ${method.clients} clients, which are kept too;
  SIGTERM, and a new process on the same directory.
- \`restart\` is the time from the start of the new process to the first answer of a call, \`calls/s after it\` the rate in the five seconds from then on.
- \`list of 50\` and \`count\` are statements on \`sys_invocation\`, \`newest 50\` sorts by \`created_at\`; \`admin list\` is \`GET /invocations\`, which theirs does not have. ${NOTHING}
  stands for what was refused or took more than two minutes.
- Machine: ${machine.cpus} CPUs (${machine.cpu}), ${machine.memoryGb.toFixed(0)} GB, ${machine.fileSystem}; Stepwell ${machine.versions.stepwell} on Node ${machine.versions.node}, restate-server ${machine.versions.reference}.
  Other processes used ${(machine.othersShare * 100).toFixed(1)} % of the CPUs during the run.${
    machine.othersShare > OTHERS_SHARE_MAX
      ? `
  **That is no quiet machine**: rates and times are those of a busy one, and vary by a factor of two and more.`
      : " One run: single figures vary by a tenth and more."
  }`;
}
