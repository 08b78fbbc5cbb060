/** A child process that evaluates statements, and that can be killed at any moment without loss. */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { FromEvaluator, ToEvaluator } from "./messages.ts";

/** The child gets its program as the first message, because Stepwell's packages contain no separate file that it could run. */
const LOADER = `process.once("message", (text) => import("data:text/javascript;base64," + Buffer.from(text).toString("base64")));`;

const MIB = 1024 * 1024;
/** The usual page size of Linux, where `/proc` exists. On a machine with larger pages, `residentBytes` is too small. */
const PAGE_BYTES = 4096;

export type EvaluatorEnd = "memory" | "failed";

export class Evaluator {
  readonly #process: ChildProcess;
  readonly #receivers = new Set<(message: FromEvaluator) => void>();
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<EvaluatorEnd>;
  /** Resolves when the process accepts statements. */
  readonly ready: Promise<void>;
  #state: "starting" | "ready" | "ended" = "starting";

  /**
   * @param program the text of a module without imports other than those of Node
   * @param environment all variables of the child, because the parent's variables may contain secrets
   */
  constructor(program: string, heapMaxBytes: number, environment: Readonly<Record<string, string>>) {
    const heapMb = Math.max(1, Math.floor(heapMaxBytes / MIB));
    this.#process = spawn(
      process.execPath,
      [`--max-old-space-size=${heapMb}`, "--max-semi-space-size=8", "--input-type=commonjs", "--eval", LOADER],
      { env: environment, stdio: ["pipe", "ignore", "ignore", "ipc"], serialization: "advanced", windowsHide: true },
    );
    this.ended = new Promise((resolve) => {
      const end = (how: EvaluatorEnd): void => {
        this.#state = "ended";
        resolve(how);
      };
      // V8 aborts a process whose heap is full, and the system kills a process when the machine has no memory left.
      this.#process.once("exit", (code, signal) => end(signal !== null || code === 134 ? "memory" : "failed"));
      this.#process.once("error", () => end("failed"));
    });
    this.#process.on("message", (message) => {
      for (const receive of this.#receivers) receive(message as FromEvaluator);
    });
    this.ready = new Promise((resolve) => {
      const stop = this.listen(({ kind }) => {
        if (kind !== "ready") return;
        stop();
        this.#state = "ready";
        resolve();
      });
    });
    this.#process.stdin?.on("error", () => undefined);
    this.#letGo();
    this.#process.send?.(program, () => undefined);
  }

  get state(): "starting" | "ready" | "ended" {
    return this.#state;
  }

  /** Undefined if the process could not start. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** @returns a function that ends the listening */
  listen(receive: (message: FromEvaluator) => void): () => void {
    this.#receivers.add(receive);
    return () => void this.#receivers.delete(receive);
  }

  /** Resolves when the system has taken the message, and also after the end of the process, which `ended` reports. */
  send(message: ToEvaluator): Promise<void> {
    return new Promise((resolve) => {
      if (this.#process.connected) this.#process.send(message, () => resolve());
      else resolve();
    });
  }

  /**
   * The resident memory; undefined if the system does not show it. The heap has its own limit; buffers outside of the
   * heap count only here.
   */
  residentBytes(): number | undefined {
    try {
      return Number(readFileSync(`/proc/${this.pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES;
    } catch {
      return undefined;
    }
  }

  kill(): void {
    this.#state = "ended";
    this.#process.kill("SIGKILL");
  }

  /** An idle evaluator must not keep this process alive; during a statement, the statement's timer keeps this process alive. */
  #letGo(): void {
    this.#process.unref();
    this.#process.channel?.unref();
    (this.#process.stdin as unknown as { unref?(): void } | null)?.unref?.();
  }
}
