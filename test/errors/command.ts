/** The stepwell command as a separate process, for exit codes, standard error and kills. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { statementProgram } from "../../infra/statement-program.mjs";
import { vi } from "vitest";
import { removeDirectory } from "../contracts/temporary-directory.ts";

// A new process starts slowly while other suites use the processors.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, "../..");

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stderr = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "close");
    child.stderr!.on("data", (piece) => (this.#stderr += String(piece)));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves with standard error once it matches; rejects if the process ends before. */
  async told(expected: RegExp): Promise<string> {
    const over = this.#ended.then(() => "over");
    while (!expected.test(this.#stderr)) {
      const heard = await Promise.race([once(this.#child.stderr!, "data"), over]);
      if (heard === "over" && !expected.test(this.#stderr)) throw new Error(`it ended and told: ${this.#stderr}`);
    }
    return this.#stderr;
  }

  async end(signal?: "SIGKILL" | "SIGTERM"): Promise<Ended> {
    if (signal !== undefined) this.#child.kill(signal);
    await this.#ended;
    return { code: this.#child.exitCode, stderr: this.#stderr };
  }
}

export class BuiltCommand {
  readonly #dir: string;
  readonly #running: RunningCommand[] = [];

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** @param settings variables added to those of this process, without its own STEPWELL_ variables */
  start(args: readonly string[], settings: Readonly<Record<string, string>> = {}): RunningCommand {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_"));
    const free = { STEPWELL_INGRESS__PORT: "0", STEPWELL_ADMIN__PORT: "0", STEPWELL_SHUTDOWN_TIMEOUT: "50ms" };
    const env = { ...Object.fromEntries(inherited), ...free, ...settings };
    const program = join(this.#dir, "stepwell.js");
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    const running = new RunningCommand(child);
    this.#running.push(running);
    return running;
  }

  /** Kills the processes that a test left running, and deletes the program. */
  async remove(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.end("SIGKILL")));
    await removeDirectory(this.#dir);
  }
}

/** The program is below node_modules, so that it finds its packages. */
export async function buildCommand(): Promise<BuiltCommand> {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "stepwell-command-"));
  await build({
    define: await statementProgram(),
    entryPoints: [{ in: join(ROOT, "functions/cli/stepwell.ts"), out: "stepwell" }],
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir,
    logLevel: "error",
  });
  return new BuiltCommand(outdir);
}
