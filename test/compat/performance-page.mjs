/** Writes docs/performance.md: the aims beside the measurements, every ratio, and how to repeat the measurement. */
import { growthSection } from "./growth-report.mjs";
import { latenessTable } from "./lateness-report.mjs";
import {
  OTHERS_SHARE_MAX,
  afterwardsTable,
  disksTable,
  median,
  mediansTable,
  ratioOf,
  ratiosTable,
  table,
} from "./report.mjs";
import { LIMIT } from "./rounds.mjs";
import { SHAPES } from "./shapes.mjs";

const OURS = "ours";
const THEIRS = "theirs";
const PLAIN = SHAPES[0];

/** Each aim is a ratio, ours to theirs, of the plain call. */
const AIMS = [
  { title: "CPU per call of our process", connections: 32, of: "serverCpu", atMost: 1 / 4 },
  { title: "calls per second", connections: 32, of: "callsPerSecond", atLeast: 2 },
  { title: "median time of a call", connections: 1, of: "p50Ms", atMost: 1 / 3 },
];

/**
 * @param results the results in docs/performance.json
 * @param growth the content of docs/performance-growth.json; undefined if there is no such file
 */
export function performancePage({ machine, method, conversations, rows, latenesses = [], settled, disks }, growth) {
  const { connections } = method;
  const shapes = SHAPES.filter(({ name }) => method.shapes.includes(name));
  return `# Performance

What a local process on one machine does; below, the same beside the reference server and beside the limit. This page and
[performance.json](performance.json), which has every single measurement, are written by \`npm run bench -- --write-docs\`.

## What you get

${gotTable(rows, shapes, connections)}

${gotSentence(disks, growth, machine)} [The guide to capacity](guides/capacity.md) says what follows for a machine of yours.

## How to read the rest

- **ours** is \`stepwell dev\`, **theirs** the reference server as it comes; both write to the same disk and sync before they answer.
- **limit** is the process with the handlers alone: what our server says to it during one call, recorded, is said to it again and again
  by a client that does nothing else. No server can be faster over the same exchanges; one that takes fewer of them can.
- CPU is in seconds per 1,000 calls (equal to ms per call), user and system, all threads of the process.
- A ratio is the median of the ratios of the rounds, its least and its greatest in brackets.

## The aims

${aimsTable(rows, connections)}

## Ours / theirs

More than 1 is good for calls/s and ended/s; less than 1 is good for the others.

${ratiosTable(rows, OURS, THEIRS, shapes, connections)}

## Ours / limit

How often our server turns to the handlers during one call, and the messages that they answer with:

${exchangesTable(conversations, shapes)}

${ratiosTable(rows, OURS, LIMIT, shapes, connections)}

## Medians

${mediansTable(rows, [OURS, THEIRS, LIMIT], shapes, connections)}

The calls/s of a send are the ones accepted; \`ended/s\` counts from the first send until the handler has ended the last one.

${latenesses.length > 0 ? `${latenessSection(latenesses, method)}\n\n` : ""}${growth === undefined ? "" : `${growthSection(growth)}\n\n`}## On the disk

${disksTable(disks, [OURS, THEIRS])}
${method.settle > 0 ? `\n## Afterwards\n\n${afterwardsTable(settled, [OURS, THEIRS], shapes)}\n` : ""}
## Method

${methodText(machine, method)}

## What is not comparable

${NOT_COMPARABLE}

## Measuring again

On Linux (x64) with \`wrk\`, on the kind of disk that you want to know about, while the machine does nothing else:

\`\`\`sh
npm run bench                          # about a quarter of an hour, prints the tables
npm run bench -- --quick               # about three minutes, to see that everything works
npm run bench -- --write-docs          # writes this page
npm run bench -- --shapes echo,runs --connections 32 --before ../other/dist/stepwell.js
npm run bench:growth                   # about twenty minutes, prints the tables
npm run bench:growth -- --quick        # about two minutes, to see that everything works
npm run bench:growth -- --write-docs   # writes the section, its charts and this page
\`\`\`

The reference server is fetched at the first run, into \`test/compat/node_modules\` (about 650 MB with the Node for the handlers).
`;
}

/** Medians of our server alone, for the largest number of clients. */
function gotTable(rows, shapes, connections) {
  const clients = Math.max(...connections);
  const lines = shapes.map(({ name, title }) => {
    const own = rows.filter((row) => row.contestant === OURS && row.shape === name && row.connections === clients);
    const of = (key, digits) => median(own.map((row) => row[key])).toFixed(digits);
    return [title, of("callsPerSecond", 0), of("p50Ms", 0), of("p99Ms", 0), of("residentMb", 0)];
  });
  return table([`${clients} clients`, "calls a second", "median ms", "p99 ms", "memory MB"], lines);
}

function gotSentence(disks, growth, { cpus }) {
  const perCall = median(disks.filter(({ contestant }) => contestant === OURS).map(kilobytesPerCall)).toFixed(1);
  const stored = (growth?.steps ?? []).filter(({ contestant, series }) => contestant === OURS && series === "stored");
  const most = stored.toSorted((one, other) => one.size - other.size).at(-1);
  const kept =
    most &&
    ` With ${most.size.toLocaleString("en-US")} kept invocations the process takes ${most.residentMb.toFixed(0)} MB of memory and ${most.diskMb.toFixed(0)} MB on the disk, and restarts in ${(most.restartMs / 1000).toFixed(1)} s.`;
  return `Server, handlers and clients shared ${cpus} processors ([method](#method)). A call writes ${perCall} KB.${kept ?? ""}`;
}

const kilobytesPerCall = ({ megabytes, calls }) => (megabytes * 1024) / calls;

function latenessSection(latenesses, { naps }) {
  return `## Waking up

By how much invocations that sleep miss their moment: the handler subtracts it from its clock when it goes on. Less than 1 is good.

${latenessTable(latenesses, [OURS, THEIRS])}

- ${naps} invocations of each kind, accepted before the first moment, wake at moments spread evenly over three seconds and in random order,
  alone or while clients make plain calls. The moment is part of the input, so every attempt knows it. p50, p99 and max are medians of the rounds.
- The end of a short sleep reaches the handler on its exchange, which is still open. The end of a sleep of a suspended invocation begins a new
  attempt: here the handler's inactivity timeout is 0, so that every sleep ends like a long one.
- \`began late\` counts invocations whose handler began after the moment, which are in no percentile; \`missing\` those that did not wake within
  half a minute.`;
}

function exchangesTable(conversations, shapes) {
  const of = (key) => shapes.map(({ name }) => conversations[name][key]);
  const titles = ["", ...shapes.map(({ title }) => title)];
  return table(titles, [
    ["exchanges", ...of("exchanges")],
    ["messages", ...of("messages")],
  ]);
}

function aimsTable(rows, connections) {
  const lines = AIMS.filter((aim) => connections.includes(aim.connections)).map((aim) => {
    const { middle, least, most } = ratioOf(rows, OURS, THEIRS, PLAIN, aim.connections, aim.of);
    const isMet = aim.atMost === undefined ? middle >= aim.atLeast : middle <= aim.atMost;
    const wanted = aim.atMost === undefined ? `≥ ${aim.atLeast.toFixed(2)}` : `≤ ${aim.atMost.toFixed(2)}`;
    const measured = `**${middle.toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`;
    return [`plain call, ${aim.title}`, aim.connections, wanted, measured, isMet ? "met" : "**missed**"];
  });
  return table(["aim, ours / theirs", "clients", "wanted", "measured", ""], lines);
}

function methodText(machine, { rounds, seconds, warmUpSeconds }) {
  const { versions } = machine;
  return `- Machine: ${machine.cpus} CPUs (${machine.cpu}), ${machine.memoryGb.toFixed(0)} GB, ${machine.kernel}, ${machine.fileSystem}. It had a load of ${machine.loadBefore.toFixed(2)} before the
  run; processes other than the bench, the kernel's included, used ${(machine.othersShare * 100).toFixed(1)} % of the CPUs during it.${
    machine.othersShare > OTHERS_SHARE_MAX
      ? `
  **That is no quiet machine**: of the figures only the ratios mean something, and they are coarse.`
      : ""
  }
  Server, handlers and load generator share the machine, as they do on a developer's.
- Versions: Stepwell ${versions.stepwell} on Node ${versions.node}; restate-server ${versions.reference}; handlers on SDK ${versions.sdk} and Node ${versions.handlerNode} over HTTP/2 in the clear;
  wrk ${versions.wrk}.
- ${rounds} ${rounds === 1 ? "round" : "rounds"}. In each, ours, theirs and the limit take turns, with fresh processes and an empty directory each; a different one comes first in each round.
- Each shape: ${warmUpSeconds} s of warm-up with at most 32 clients, then ${seconds} s for each number of clients; 50 runs and the fan-out twice
  as long (four times with more than 32 clients) and in one round less, sends and the limit half as long. A client waits for its answer before it calls again. Before and after each load a few
  answers are compared byte by byte.
- CPU is read before a load and when both processes have come to rest after it, and divided by the calls that were answered
  and those that were under way when the load ended. Memory is what is resident at the end of the load.
- The chain is four invocations deep, the fan-out makes 20 calls at once and awaits all; a run's function only joins strings.`;
}

const NOT_COMPARABLE = `- The reference server is built to run as a cluster with a replicated log and partitions; the local process is one process for one machine.
  A comparison of clusters would be another one.
- The reference server uses all CPUs there are, our process hardly more than one. With more CPUs than here its share grows.
- With many clients the process with the handlers is the bottleneck of ours and theirs alike; the limit shows how near it is.
- The limit has no ingress, no journal and no disk, and repeats one call that was recorded while no other call ran: a server that meets many calls at a time
  may gather more in one piece, which is cheaper for the handlers, so that a ratio can exceed what the limit seems to allow.
- Work that a server does only after both processes have come to rest is in no CPU figure; \`--settle 11\` shows it.
- Both keep finished invocations for a time, and preallocate. The bytes on the disk after a round of minutes say little about months.
- Where a call takes more than half of a load's seconds (50 runs and fan-out with 256 clients), few are counted, and the
  ratios are coarse; a rate of 0 means that not one was answered before the load was over, not that calls failed.`;
