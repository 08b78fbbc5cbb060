/** A program of this suite in its own process: it first sends how it is registered, and then its other messages. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const POLYFILL = join(import.meta.dirname, "../../examples/polyfill.mjs");

export class ReportingProcess {
  /** The body of the request that registers its deployment. */
  readonly registration: object;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, registration: object) {
    this.#child = child;
    this.registration = registration;
  }

  static async start(script: string, ...args: readonly string[]): Promise<ReportingProcess> {
    const child = fork(script, args, {
      execArgv: ["--import", POLYFILL],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [{ registration }] = (await once(child, "message")) as [{ registration: object }];
    return new ReportingProcess(child, registration);
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
