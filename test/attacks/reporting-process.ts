/** A program of this suite in its own process: it first sends its port, and then its other messages. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const POLYFILL = join(import.meta.dirname, "../../examples/polyfill.mjs");

export class ReportingProcess {
  readonly uri: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.uri = `http://127.0.0.1:${port}`;
  }

  static async start(script: string, ...args: readonly string[]): Promise<ReportingProcess> {
    const child = fork(script, args, {
      execArgv: ["--import", POLYFILL],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new ReportingProcess(child, port);
  }

  onMessage(listen: (message: unknown) => void): void {
    this.#child.on("message", listen);
  }

  send(message: object): void {
    this.#child.send(message);
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
