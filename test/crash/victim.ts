/** Starts a process, kills it and starts it again, and records the times during which the process is absent. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Site } from "./programs.ts";
import { fetch } from "../harness/local/admin-access.ts";

const POLL_EVERY_MS = 10;
/** Short, so that a stop breaks closures off. */
const SHUTDOWN_TIMEOUT = "1s";

/** The time from a kill or a stop of a process until the process was ready again. */
export interface Absence {
  readonly fromMs: number;
  /** Infinity during the absence. */
  toMs: number;
}

export class Victim {
  readonly name: string;
  readonly absences: Absence[] = [];
  /** The time from each start of the process to its first answer. A start that was killed before that answer does not count. */
  readonly startTimesMs: number[] = [];
  readonly #args: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #logPath: string;
  readonly #isReady: () => Promise<boolean>;
  #child: ChildProcess | undefined;
  #startedAtMs = 0;

  constructor(name: string, dir: string, args: readonly string[], isReady: () => Promise<boolean>, environment = {}) {
    this.name = name;
    this.#args = args;
    this.#environment = environment;
    this.#logPath = join(dir, `${name.replaceAll(" ", "-")}.log`);
    this.#isReady = isReady;
  }

  /** Returns at once; `ready` waits for the first answer. */
  start(): void {
    this.#startedAtMs = Date.now();
    const log = openSync(this.#logPath, "a");
    // The product would warn of the variables of the suite, because they are no settings.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_"));
    const settings = { STEPWELL_LOG__LEVEL: "debug", STEPWELL_SHUTDOWN_TIMEOUT: SHUTDOWN_TIMEOUT };
    const env = { ...Object.fromEntries(inherited), ...settings, ...this.#environment };
    this.#child = spawn(process.execPath, this.#args, { env, stdio: ["ignore", log, log] });
    closeSync(log);
  }

  /** @throws Error if the process ends by itself, or does not answer in time */
  async ready(): Promise<void> {
    const child = this.#child!;
    for (const untilMs = Date.now() + SEEN_WITHIN_MS; !(await this.#isReady()); await pause(POLL_EVERY_MS)) {
      if (child.exitCode !== null) throw new Error(`the ${this.name} ended by itself, see ${this.#logPath}`);
      if (Date.now() > untilMs) throw new Error(`the ${this.name} does not answer, see ${this.#logPath}`);
    }
    const absence = this.absences.at(-1);
    if (absence?.toMs !== Infinity) return;
    absence.toMs = Date.now();
    this.startTimesMs.push(absence.toMs - this.#startedAtMs);
  }

  /** Stops the process for a while, as a machine does that is suspended. The time does not count as an absence. */
  async freeze(ms: number): Promise<void> {
    const child = this.#child!;
    child.kill("SIGSTOP");
    await pause(ms);
    child.kill("SIGCONT");
  }

  /** Resolves with the exit code once the process is dead. If the process was not ready yet, its earlier absence goes on. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    if (this.absences.at(-1)?.toMs !== Infinity) this.absences.push({ fromMs: Date.now(), toMs: Infinity });
    const exited = once(child, "exit");
    child.kill(signal);
    return ((await exited) as [number | null])[0];
  }
}

export function controlPlaneOf(site: Site): Victim {
  const isReady = async (): Promise<boolean> => {
    const answers = await Promise.all([answers200(`${site.ingressUri}/restate/health`), isRegistered(site)]);
    return answers.every((answer) => answer);
  };
  return new Victim("control plane", site.dir, site.controlPlane, isReady, site.environment);
}

export function deploymentOf(site: Site): Victim {
  return new Victim("deployment", site.dir, site.deployment, () => listens(site.deploymentPort));
}

async function answers200(uri: string): Promise<boolean> {
  const response = await fetch(uri).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}

/** The registration survives restarts, so after a restart the result is true as soon as the admin port answers. */
async function isRegistered(site: Site): Promise<boolean> {
  return await answers200(`${site.adminUri}/services/${site.service}`);
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const connected = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return connected;
}
