/** A terminal of a newcomer: runs a command in the foreground of the clone, pastes lines, and stops by Ctrl-C. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const PRINTED_WITHIN_MS = 600_000;
const STOPPED_WITHIN_MS = 180_000;
const POLL_EVERY_MS = 20;

/** Starts the command in its own process group, as a terminal would, and collects its output. */
export function openTerminal(command, { clone, cache }) {
  const env = { ...process.env, npm_config_cache: cache, npm_config_ignore_scripts: "true" };
  const child = spawn("sh", ["-c", command], { cwd: clone, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const terminal = { child, output: "", end: once(child, "exit") };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      terminal.output += text;
      process.stdout.write(text.replace(/^(?=.)/gm, "  | "));
    });
  }
  return terminal;
}

/** The complete lines of the output that begin with these words, without their indentation. */
export function printedLines({ output }, words) {
  const complete = output.slice(0, output.lastIndexOf("\n") + 1);
  return complete
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith(words));
}

/** @throws Error if the program ends without having printed such a line */
export async function printedLine(terminal, words) {
  const deadlineMs = Date.now() + PRINTED_WITHIN_MS;
  for (;;) {
    const ended = terminal.child.exitCode !== null || terminal.child.signalCode !== null;
    const [line] = printedLines(terminal, words);
    if (line !== undefined) return line;
    if (ended || Date.now() > deadlineMs) throw new Error(`No line "${words}…" was printed`);
    await sleep(POLL_EVERY_MS);
  }
}

/** Runs a line exactly as printed; a configuration file makes curl add the status of the answer. */
export function paste(line, temporary) {
  const env = { ...process.env, CURL_HOME: temporary };
  const { stdout, stderr } = spawnSync("sh", ["-c", line], { env, encoding: "utf8", timeout: 180_000 });
  const at = stdout.lastIndexOf("\n");
  return { body: stdout.slice(0, at), status: Number(stdout.slice(at + 1)), stderr };
}

/** Signals the whole group, as a terminal does; a group that has ended needs no signal. */
export function signalGroup({ child: { pid = 0 } }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** @returns the exit code and the signal, or "late" */
export function endOf(terminal) {
  return Promise.race([terminal.end, sleep(STOPPED_WITHIN_MS, ["late"], { ref: false })]);
}

/** Ends what still runs. The command stops its processes itself, in groups of their own; only Ctrl-C lets it. */
export async function close(terminal) {
  signalGroup(terminal, "SIGINT");
  await endOf(terminal);
  signalGroup(terminal, "SIGKILL");
}

export async function verifyStop(terminal, ports, verify) {
  signalGroup(terminal, "SIGINT");
  const [code, signal] = await endOf(terminal);
  verify(
    "Ctrl-C ends the command with 0, 130 or by SIGINT",
    code === 0 || code === 130 || signal === "SIGINT",
    `${code} ${signal}`,
  );
  await verifyFree(ports, verify);
}

export async function verifyFree(ports, verify) {
  const deadlineMs = Date.now() + STOPPED_WITHIN_MS;
  let taken = await takenPorts(ports);
  while (taken.length > 0 && Date.now() < deadlineMs) {
    await sleep(POLL_EVERY_MS);
    taken = await takenPorts(ports);
  }
  verify("the ports are free again", taken.length === 0, taken.join(", "));
}

export async function takenPorts(ports) {
  const free = await Promise.all(ports.map(isFree));
  return ports.filter((_, index) => !free[index]);
}

async function isFree(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}
