/** Reads what the handlers add to the ledger while they add it, for whoever waits for a word of theirs. */
import { closeSync, openSync, readSync } from "node:fs";
import { pause } from "../e2e-aws/control-plane.ts";
import type { LoadLine } from "./handlers/told.ts";

const LOOK_MS = 100;
const CHUNK_BYTES = 1 << 20;

export class LedgerTail {
  readonly #path: string;
  /** What was published, by the invocation: the last word counts, since the others are of attempts that were undone. */
  readonly #published = new Map<string, string>();
  #isOver = false;

  constructor(path: string) {
    this.#path = path;
  }

  publishedBy(invocationId: string): string | undefined {
    return this.#published.get(invocationId);
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

  #note({ invocationId, value }: LoadLine): void {
    if (value !== undefined) this.#published.set(invocationId, value);
  }
}
