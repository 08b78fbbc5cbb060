/** The options of the bench, read from the command line. */
import { parseOptions, wholeNumber } from "./bench-command.mjs";
import { GroundError } from "./ground.mjs";
import { SHAPES } from "./shapes.mjs";

export const USAGE = `npm run bench -- [options]

  --rounds <n>           rounds, each with fresh processes of every server (default 3)
  --seconds <s>          of load for each shape and number of connections (default 2; slow shapes longer)
  --warm-up <s>          of load before each shape (default 1; twice as long before the first)
  --settle <s>           watched after the load of a shape, for work that was put off (default 0)
  --connections <a,b>    (default 1,32,256)
  --shapes <a,b>         of ${SHAPES.map(({ name }) => name).join(", ")} (default all)
  --naps <n>             sleeping invocations of each kind whose lateness is measured (default 500; 0 for none)
  --quick                1 round of 1 s: about three minutes, to see that everything works
  --ours <stepwell.js>   the build of ours (default: dist/stepwell.js, built first)
  --before <stepwell.js> another build of ours, as a third contestant
  --without-reference    without the reference server
  --without-limit        without the recorded conversations
  --no-build             take dist/stepwell.js as it is
  --write-docs           write docs/performance.md and docs/performance.json
  --json <file>          write every measurement there
  --dir <folder>         on the disk to measure (default: the system's folder for temporary files)
`;

const FULL = { rounds: "3", seconds: "2", "warm-up": "1" };
const QUICK = { rounds: "1", seconds: "1", "warm-up": "1" };

const OPTIONS = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  "warm-up": { type: "string" },
  settle: { type: "string", default: "0" },
  connections: { type: "string", default: "1,32,256" },
  naps: { type: "string", default: "500" },
  shapes: { type: "string", default: SHAPES.map(({ name }) => name).join(",") },
  quick: { type: "boolean", default: false },
  ours: { type: "string" },
  before: { type: "string" },
  "without-reference": { type: "boolean", default: false },
  "without-limit": { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
  "write-docs": { type: "boolean", default: false },
  json: { type: "string" },
  dir: { type: "string" },
  help: { type: "boolean", default: false },
};

/** @throws GroundError for an invalid option */
export function readOptions(args) {
  const { values, filled } = parseOptions(args, OPTIONS, { full: FULL, quick: QUICK }, USAGE);
  const number = (name, least) => wholeNumber(name, filled[name], least, USAGE);
  const shapes = values.shapes.split(",").map(shapeNamed);
  const isNarrow = values["without-reference"] || values["without-limit"] || shapes.length < SHAPES.length;
  if (values["write-docs"] && isNarrow)
    throw new GroundError(`--write-docs needs every shape, the reference and the limit\n\n${USAGE}`);
  const naps = number("naps", 0);
  if (values["write-docs"] && naps === 0) throw new GroundError(`--write-docs needs naps\n\n${USAGE}`);
  return {
    ...filled,
    rounds: number("rounds", 1),
    seconds: number("seconds", 1),
    warmUpSeconds: number("warm-up", 1),
    settle: number("settle", 0),
    naps,
    connections: values.connections.split(",").map((text) => wholeNumber("connections", text, 1, USAGE)),
    shapes,
  };
}

function shapeNamed(name) {
  const shape = SHAPES.find((one) => one.name === name);
  if (shape === undefined) throw new GroundError(`there is no shape ${name}\n\n${USAGE}`);
  return shape;
}
