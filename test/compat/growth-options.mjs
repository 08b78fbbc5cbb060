/** The options of the growth bench, read from the command line. */
import { parseOptions, wholeNumber } from "./bench-command.mjs";

export const GROWTH_USAGE = `npm run bench:growth -- [options]

  --stored <a,b>         ended, kept invocations at each step (default 0,10000,100000,300000; 1000000 is worth a try)
  --sleeping <a,b>       suspended, sleeping invocations at each step (default 0,10000,30000,100000); "none" for no steps
  --seconds <s>          the time of plain calls at each step (default 5), after 2 s of warm-up
  --clients <n>          the number of clients that make plain calls (default 32)
  --reference-up-to <n>  the largest step of the reference server (default 100000)
  --without-reference    without the reference server
  --quick                0 and 5,000 of each, 2 s: about a minute, to see that everything works
  --ours <stepwell.js>   the build of ours (default: dist/stepwell.js, built first)
  --no-build             take dist/stepwell.js as it is
  --write-docs           write docs/performance.md, docs/performance-growth.json and the charts beside them
  --json <file>          write every measurement there
  --dir <folder>         a folder on the disk to measure (default: the system's folder for temporary files)
`;

const FULL = { stored: "0,10000,100000,300000", sleeping: "0,10000,30000,100000", seconds: "5" };
const QUICK = { stored: "0,5000", sleeping: "0,5000", seconds: "2" };

const OPTIONS = {
  stored: { type: "string" },
  sleeping: { type: "string" },
  seconds: { type: "string" },
  clients: { type: "string", default: "32" },
  "reference-up-to": { type: "string", default: "100000" },
  "without-reference": { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
  ours: { type: "string" },
  "no-build": { type: "boolean", default: false },
  "write-docs": { type: "boolean", default: false },
  json: { type: "string" },
  dir: { type: "string" },
  help: { type: "boolean", default: false },
};

/** @throws GroundError for an invalid option */
export function readGrowthOptions(args) {
  const { filled } = parseOptions(args, OPTIONS, { full: FULL, quick: QUICK }, GROWTH_USAGE);
  const number = (name, least) => wholeNumber(name, filled[name], least, GROWTH_USAGE);
  return {
    ...filled,
    stored: sizes("stored", filled.stored),
    sleeping: sizes("sleeping", filled.sleeping),
    seconds: number("seconds", 1),
    clients: number("clients", 1),
    referenceUpTo: number("reference-up-to", 0),
  };
}

/** @returns the sizes in rising order */
function sizes(name, text) {
  if (text === "none") return [];
  const numbers = text.split(",").map((one) => wholeNumber(name, one.trim() || "an empty size", 0, GROWTH_USAGE));
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
