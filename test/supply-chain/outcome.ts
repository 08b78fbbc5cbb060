/** Runs a program to its end, success or failure. */
import { execFile } from "node:child_process";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** All output of the program, for the message of a failure. */
  readonly told: string;
}

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
export const HERE = import.meta.dirname;
export const ROOT = new URL("../..", import.meta.url).pathname;

/** @throws Error if there is no such program */
export function outcomeOf(file: string, args: readonly string[], cwd: string = ROOT): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd, maxBuffer: OUTPUT_MAX_BYTES }, (error, out, err) => {
      if (error !== null && typeof error.code !== "number") return reject(error);
      resolve({ code: Number(error?.code ?? 0), out, told: out + err });
    });
  });
}
