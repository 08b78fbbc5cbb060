/** Reads the ledger while the handlers write it, for tests that wait for a line. */
import { closeSync, openSync, readSync } from "node:fs";
import { pause } from "../e2e-aws/control-plane.ts";
import type { LoadLine } from "./handlers/results.ts";

/** Short compared with a commit: when `Killer` gets the line of a step, the commit of the step can still be under way. */
const LOOK_MS = 15;
const CHUNK_BYTES = 1 << 20;

export class LedgerTail {
  readonly #path: string;
  /** The last published value of each invocation: earlier values come from attempts that were undone. */
  readonly #published = new Map<string, string>();
  #awaited: { readonly steps: ReadonlySet<string>; readonly resolve: (line: LoadLine) => void }[] = [];
  #isOver = false;

  constructor(path: string) {
    this.#path = path;
  }

  publishedBy(invocationId: string): string | undefined {
    return this.#published.get(invocationId);
  }

  /** @returns the next new line with one of these steps */
  next(steps: ReadonlySet<string>): Promise<LoadLine> {
    return new Promise((resolve) => this.#awaited.push({ steps, resolve }));
  }

  async follow(): Promise<void> {
    const file = openSync(this.#path, "r");
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest = "";
    while (!this.#isOver) {
      const bytes = readSync(file, chunk);
      const lines = (rest + chunk.toString("utf8", 0, bytes)).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.#note(JSON.parse(line) as LoadLine);
      if (bytes < CHUNK_BYTES) await pause(LOOK_MS);
    }
    closeSync(file);
  }

  stop(): void {
    this.#isOver = true;
  }

  #note(line: LoadLine): void {
    const { invocationId, step, value } = line;
    for (const { resolve } of this.#awaited.filter(({ steps }) => steps.has(step))) resolve(line);
    this.#awaited = this.#awaited.filter(({ steps }) => !steps.has(step));
    if (value !== undefined) this.#published.set(invocationId, value);
  }
}
