/**
 * The control of a test that measures waits: a process with a fixed piece of work, beside the tested processes. How long the work takes says
 * how slow the machine is at that time, so a wait is judged by the machine that it happened on.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What the work takes on a quiet processor. */
const WORK_MS = 60;

export class Yardstick {
  readonly #child: ChildProcess;
  #longestMs = WORK_MS;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", ({ tookMs }: { tookMs: number }) => {
      this.#longestMs = Math.max(this.#longestMs, tookMs);
    });
  }

  static async start(): Promise<Yardstick> {
    const child = fork(join(import.meta.dirname, "yardstick-process.mjs"), { execArgv: [] });
    await once(child, "message");
    return new Yardstick(child);
  }

  /** How many times longer the slowest piece of work took than on a quiet machine; at least 1. */
  get slowness(): number {
    return this.#longestMs / WORK_MS;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
