/** The ledger: one line for each execution of a closure, written at once and never changed. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Line {
  readonly invocationId: string;
  readonly step: string;
  readonly nonce: string;
  /** The life of the deployment that executed it. */
  readonly bootId: string;
  readonly bootAtMs: number;
  /** The entry of the handler that executed it. */
  readonly attemptId: string;
  readonly attemptAtMs: number;
  readonly atMs: number;
  /** Whether the closure was going to throw on purpose. */
  readonly throws: boolean;
}

/** One write to a file opened for appending: lines of several lives never mix, and a kill leaves no half of one. */
export function openLedger(path: string): { append(line: Line): void; close(): void } {
  const file = openSync(path, "a");
  return {
    append(line) {
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
}

/** @throws SyntaxError for a line that is not whole */
export function readLedger(path: string): Line[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
