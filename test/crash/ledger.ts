/** The ledger: one line for each execution of a closure, written at once and never changed. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Line {
  readonly invocationId: string;
  readonly step: string;
  readonly nonce: string;
  /** The deployment process that executed the closure. */
  readonly bootId: string;
  readonly bootAtMs: number;
  /** The attempt that executed the closure. */
  readonly attemptId: string;
  readonly attemptAtMs: number;
  readonly atMs: number;
  /** Whether the closure throws on purpose. */
  readonly throws: boolean;
}

/** Each line is one write to a file open for appending: lines of several processes never mix; a kill leaves no partial line. */
export function openLedger(path: string): { append(line: Line): void; close(): void } {
  const file = openSync(path, "a");
  return {
    append(line) {
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
}

/** @throws SyntaxError for a partial line */
export function readLedger(path: string): Line[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
