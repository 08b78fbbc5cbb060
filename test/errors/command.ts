/** The stepwell command as a separate process, for exit codes, standard error and kills. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";
import { bundleCommand, type BundledCommand } from "../harness/cli/bundled-command.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";

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

  /** Resolves with standard error once it matches; rejects if the process ends before, or the text does not come. */
  async told(expected: RegExp): Promise<string> {
    const over = this.#ended.then(() => "the command ended");
    const late = pause(SEEN_WITHIN_MS, `the text did not come within ${SEEN_WITHIN_MS} ms`, { ref: false });
    while (!expected.test(this.#stderr)) {
      const heard = await Promise.race([once(this.#child.stderr!, "data"), over, late]);
      if (typeof heard === "string" && !expected.test(this.#stderr))
        throw new Error(`${heard}, and standard error is: ${this.#stderr}`);
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
  readonly #bundled: BundledCommand;
  readonly #running: RunningCommand[] = [];

  constructor(bundled: BundledCommand) {
    this.#bundled = bundled;
  }

  /**
   * @param settings environment variables of the command; it inherits those of this process that are not STEPWELL_ variables
   * @param under the words of a program that limits its own process and then runs the command there, as `prlimit --fsize=1` does
   */
  start(
    args: readonly string[],
    settings: Readonly<Record<string, string>> = {},
    under: readonly string[] = [],
  ): RunningCommand {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_"));
    const free = { STEPWELL_INGRESS__PORT: "0", STEPWELL_ADMIN__PORT: "0", STEPWELL_SHUTDOWN_TIMEOUT: "50ms" };
    const env = { ...Object.fromEntries(inherited), ...free, ...settings };
    const [program, ...words] = [...under, process.execPath, this.#bundled.path, ...args] as [string, ...string[]];
    const child = spawn(program, words, { env, stdio: ["ignore", "ignore", "pipe"] });
    const running = new RunningCommand(child);
    this.#running.push(running);
    return running;
  }

  /** Kills the processes that a test left running, and deletes the program if it was bundled for this file alone. */
  async remove(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.end("SIGKILL")));
    await this.#bundled.remove();
  }
}

/** Takes the command that the run of tests has bundled, or bundles it for this file alone. */
export async function buildCommand(): Promise<BuiltCommand> {
  const path = inject("commandPath");
  return new BuiltCommand(path === undefined ? await bundleCommand() : { path, remove: async () => {} });
}
