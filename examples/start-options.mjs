/** The options of `npm start` and `npm run dev`: reads them, and looks whether their ports are free before anything is built. */
import { once } from "node:events";
import { createServer } from "node:net";
import { parseArgs } from "node:util";

const ADMIN_PORT = 9070;
/** The ports of both commands: option, port without the option, and what answers there. */
const PORTS = [
  { option: "ingress-port", fallback: 8080, owner: "calls" },
  { option: "admin-port", fallback: ADMIN_PORT, owner: "administration and the web UI" },
  { option: "handlers-port", fallback: 9080, owner: "the example's handlers" },
];
/** The data directory of the command itself. */
const USUAL_DATA_DIR = ".stepwell";
const PROGRAM = "dist/stepwell.js";
const LOOPBACKS = ["127.0.0.1", "::1"];
/** A machine without IPv6 has no `::1`; no other program can listen there either. */
const NO_SUCH_ADDRESS = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);
const PORT_MAX = 65_535;
/** Lower ports need rights of their own. */
const LOWEST = 1024;

/** A failure that the user can correct; the script prints its message without a stack. */
export class StartError extends Error {}

/**
 * @param command `line`, such as "npm start"; `does`, a sentence; `dataDir`; `flags`, further flags with what each
 * does
 */
export function helpOf({ line, does, dataDir, flags = {} }) {
  const rows = [
    ...PORTS.map(({ option, fallback, owner }) => [
      `${option} <port>`,
      `${owner} (default: ${fallback}; 0: a free port)`,
    ]),
    ["data-dir <directory>", `the data of the control plane (default: ${dataDir})`],
    ...Object.entries(flags),
    ["help", "shows this text"],
  ];
  const options = rows.map(([option, meaning]) => `  --${option}`.padEnd(26) + meaning);
  return `${line} -- [options]\n\n${does}\n\nOptions:\n${options.join("\n")}`;
}

/**
 * @param command as in `helpOf`
 * @returns the options, or `undefined` if the user asks for help
 * @throws StartError for an unknown option or something that is no port
 */
export function optionsOf(words, command) {
  const flags = Object.keys(command.flags ?? {});
  const options = {
    ...Object.fromEntries(PORTS.map(({ option }) => [option, { type: "string" }])),
    ...Object.fromEntries(flags.map((flag) => [flag, { type: "boolean" }])),
    "data-dir": { type: "string" },
    help: { type: "boolean", short: "h" },
  };
  let values;
  try {
    ({ values } = parseArgs({ args: words, options }));
  } catch (error) {
    throw new StartError(`${error.message}\n\n${helpOf(command)}`, { cause: error });
  }
  if (values.help) return undefined;
  const ports = PORTS.map((port) => ({ ...port, number: portOf(port.option, values[port.option] ?? port.fallback) }));
  const given = flags.filter((flag) => values[flag] === true);
  return { ports, dataDir: values["data-dir"] ?? command.dataDir, flags: given };
}

function portOf(option, text) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= PORT_MAX) return number;
  throw new StartError(`--${option} takes a port from 0 to ${PORT_MAX}, not "${text}".`);
}

/** The command that starts the same again, in a shell. */
export function startAgain(numbers, dataDir, command) {
  const changed = PORTS.filter(({ option, fallback }) => numbers[option] !== fallback);
  const words = changed.map(({ option }) => `--${option} ${numbers[option]}`);
  if (dataDir !== command.dataDir) words.push(`--data-dir ${shellWord(dataDir)}`);
  return [command.line, ...(words.length === 0 ? [] : ["--", ...words])].join(" ");
}

/** The command that opens the web UI, in a shell. */
export function openUi(admin, dataDir) {
  const words = [`node ${PROGRAM} ui`];
  if (admin !== ADMIN_PORT) words.push(`--admin-url http://127.0.0.1:${admin}`);
  if (dataDir !== USUAL_DATA_DIR) words.push(`--data-dir ${shellWord(dataDir)}`);
  return words.join(" ");
}

function shellWord(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * @param command as in `helpOf`
 * @returns the numbers of the ports by their options; a free port in place of 0
 * @throws StartError that names every taken port, and a command with free ones
 */
export async function freePorts(ports, { line }) {
  const chosen = [];
  for (const port of ports) {
    const number = port.number === 0 ? await aFreePort(chosen) : port.number;
    const twice = chosen.find((one) => one.number === number);
    const reason = twice === undefined ? await reasonAgainst(number) : `it is also for ${twice.owner}`;
    chosen.push({ ...port, number, reason });
  }
  const taken = chosen.filter(({ reason }) => reason !== undefined);
  if (taken.length === 0) return Object.fromEntries(chosen.map(({ option, number }) => [option, number]));
  const told = taken.map(
    ({ number, owner, reason }) => `Port ${number}, meant for ${owner}, cannot be used (${reason}).`,
  );
  const words = await optionsInstead(chosen);
  throw new StartError(
    `${told.join("\n")}\nStop what listens there, or start on other ports:\n\n  ${line} -- ${words}`,
  );
}

/** The options with a free port for each taken one, and those that the user gave. */
async function optionsInstead(chosen) {
  const words = [];
  const used = chosen.map(({ number }) => ({ number }));
  for (const { option, number, reason, fallback } of chosen) {
    if (reason === undefined && number === fallback) continue;
    const other = reason === undefined ? number : await aFreePort(used, number + 1);
    used.push({ number: other });
    words.push(`--${option} ${other}`);
  }
  return words.join(" ");
}

async function aFreePort(used, from = LOWEST + Math.floor(Math.random() * 30_000)) {
  for (let number = from; number <= PORT_MAX; number++) {
    if (!used.some((one) => one.number === number) && (await reasonAgainst(number)) === undefined) return number;
  }
  return aFreePort(used, LOWEST);
}

/** @returns why nothing can listen on the port, or `undefined` if it is free on both loopback addresses */
async function reasonAgainst(port) {
  for (const host of LOOPBACKS) {
    const server = createServer();
    try {
      await once(server.listen(port, host), "listening");
    } catch (error) {
      if (!NO_SUCH_ADDRESS.has(error.code)) return error.code;
    } finally {
      server.close();
    }
  }
  return undefined;
}
