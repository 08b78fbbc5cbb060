/** The options of the comparison, read from the command line. */
import { parseArgs } from "node:util";
import { GroundError } from "./ground.mjs";
import { SHAPES } from "./shapes.mjs";

export const USAGE = `npm run compare -- [options]

  --rounds <n>           rounds, each with fresh processes of every server (default 3)
  --seconds <s>          of load for each shape and number of connections (default 4)
  --warm-up <s>          of load before each shape, at the greatest number of connections (default 3)
  --settle <s>           watched after the load of a shape, for work that was put off (default 11; 0 skips it)
  --connections <a,b>    (default 1,32)
  --shapes <a,b>         of ${SHAPES.map(({ name }) => name).join(", ")} (default all)
  --before <stepwell.js> another build of ours, as a third contestant
  --without-reference    compare ours with --before alone
  --no-build             take dist/stepwell.js as it is
  --json <file>          write every measurement there
  --dir <folder>         on the disk to measure (default: the system's folder for temporary files)
`;

const OPTIONS = {
  rounds: { type: "string", default: "3" },
  seconds: { type: "string", default: "4" },
  "warm-up": { type: "string", default: "3" },
  settle: { type: "string", default: "11" },
  connections: { type: "string", default: "1,32" },
  shapes: { type: "string", default: SHAPES.map(({ name }) => name).join(",") },
  before: { type: "string" },
  "without-reference": { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
  json: { type: "string" },
  dir: { type: "string" },
  help: { type: "boolean", default: false },
};

/** @throws GroundError for what cannot be read */
export function readOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: OPTIONS }));
  } catch (error) {
    throw new GroundError(`${error.message}\n\n${USAGE}`);
  }
  return {
    ...values,
    rounds: wholeNumber("rounds", values.rounds, 1),
    seconds: wholeNumber("seconds", values.seconds, 1),
    warmUpSeconds: wholeNumber("warm-up", values["warm-up"], 1),
    settle: wholeNumber("settle", values.settle, 0),
    connections: values.connections.split(",").map((text) => wholeNumber("connections", text, 1)),
    shapes: values.shapes.split(",").map(shapeNamed),
  };
}

function wholeNumber(name, text, least) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) throw new GroundError(`--${name} cannot be ${text}\n\n${USAGE}`);
  return number;
}

function shapeNamed(name) {
  const shape = SHAPES.find((one) => one.name === name);
  if (shape === undefined) throw new GroundError(`there is no shape ${name}\n\n${USAGE}`);
  return shape;
}
