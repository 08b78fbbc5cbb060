/** The server under attack: a local process with default settings, watched from outside. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Site } from "./attack.ts";
import { fetch, knowAdminAt } from "../harness/local/admin-access.ts";

/** The certificates of attackers over TLS, and the authority that the server trusts for them. */
export const FIXTURES = join(import.meta.dirname, "../harness/https/fixtures");
export const SHUTDOWN_TIMEOUT_MS = 5_000;
const POLL_EVERY_MS = 20;
const WATCH_EVERY_MS = 100;
const KB_PER_MB = 1_024;

export class ServerProcess {
  readonly site: Site;
  /** The peak of the resident memory over all lives of the server so far. */
  rssPeakMb = 0;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(dir: string, command: string, ports: readonly [number, number]) {
    const dataDir = `${dir}/data`;
    const [ingressPort, adminPort] = ports;
    const addresses = ["--ingress-port", String(ingressPort), "--admin-port", String(adminPort)];
    this.#args = [command, "dev", "--data-dir", dataDir, ...addresses, "--no-register", "--json"];
    const [ingressUri, adminUri] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
    knowAdminAt(adminUri, dataDir);
    this.site = { ingressUri, adminUri, pidPath: `${dir}/server.pid`, logPath: `${dir}/server.log`, dataDir, command };
  }

  /** @param dir the directory of the server's data and log; the server keeps its ports over all its lives */
  static async on(dir: string, command: string): Promise<ServerProcess> {
    // All users may read these directories, as if a careless operator had made them.
    for (const store of ["meta", "journal"]) mkdirSync(`${dir}/data/${store}`, { recursive: true, mode: 0o755 });
    return new ServerProcess(dir, command, await twoFreePorts());
  }

  get lives(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /**
   * Resolves when the server answers.
   * @throws Error if it ends by itself, or does not answer in time
   */
  async start(): Promise<void> {
    const log = openSync(this.site.logPath, "a");
    // The suite's own variables are not settings, and the server would warn about them.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_")));
    env["NODE_EXTRA_CA_CERTS"] = join(FIXTURES, "test-only-ca.pem");
    this.#child = spawn(process.execPath, this.#args, { env, stdio: ["ignore", log, log] });
    closeSync(log);
    writeFileSync(this.site.pidPath, String(this.#child.pid));
    this.#watch(this.#child);
    for (const untilMs = Date.now() + SEEN_WITHIN_MS; !(await this.#answers()); await pause(POLL_EVERY_MS)) {
      if (!this.lives) throw new Error(`the server ended by itself: ${this.#lastWords()}`);
      if (Date.now() > untilMs) throw new Error(`the server does not answer: ${this.#lastWords()}`);
    }
  }

  /** @returns the milliseconds that the stop took; null if the server had to be killed or was dead before */
  async stop(): Promise<number | null> {
    if (!this.lives) return null;
    const [child, fromMs] = [this.#child!, performance.now()];
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const isGone = await Promise.race([exited.then(() => true), pause(SEEN_WITHIN_MS, false, { ref: false })]);
    if (isGone) return Math.round(performance.now() - fromMs);
    await this.kill();
    return null;
  }

  async kill(): Promise<void> {
    if (!this.lives) return;
    const exited = once(this.#child!, "exit");
    this.#child!.kill("SIGKILL");
    await exited;
  }

  async #answers(): Promise<boolean> {
    const { ingressUri, adminUri } = this.site;
    const statuses = [`${ingressUri}/restate/health`, `${adminUri}/health`].map(async (uri) => {
      const response = await fetch(uri, { signal: AbortSignal.timeout(SEEN_WITHIN_MS) }).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.status === 200;
    });
    return (await Promise.all(statuses)).every((isWell) => isWell);
  }

  /** The kernel keeps the peak, so the last reading before the process ends contains it. */
  #watch(child: ChildProcess): void {
    const look = (): void => {
      const peakKb = /^VmHWM:\s+(\d+) kB$/m.exec(statusOf(child.pid!))?.[1];
      this.rssPeakMb = Math.max(this.rssPeakMb, Math.round(Number(peakKb ?? 0) / KB_PER_MB));
    };
    const timer = setInterval(look, WATCH_EVERY_MS);
    child.once("exit", () => clearInterval(timer));
  }

  #lastWords(): string {
    return readFileSync(this.site.logPath, "utf8").slice(-2_000);
  }
}

/** @returns the status of the process as `/proc` shows it; the empty text if the process has ended */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

async function twoFreePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()].map((server) => server.listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports as [number, number];
}
