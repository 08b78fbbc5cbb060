/** Which part of a rotating suite a commit runs: the whole would take the gate too long, so each commit runs another part. */
import { execFileSync } from "node:child_process";

/** A command that names files or tests (`-t A3:`) means these at every commit. */
export const NAMES_TESTS = process.argv.some((word) => /\.test\.ts$|^-t$|^--testNamePattern/.test(word));

/** @returns a number that follows from the hash of the commit, or 0 outside of a repository */
function commitNumber(): number {
  try {
    return Number.parseInt(execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).slice(0, 8), 16);
  } catch {
    return 0;
  }
}

/**
 * `ROTATION=all` runs every part, and `ROTATION=3` runs the part that has this remainder. A configuration gives the value to its
 * tests as their environment: only vitest's own process has the words of the command.
 * @returns "all" or a whole number
 */
export function rotationOfRun(): string {
  const chosen = process.env["ROTATION"] ?? (NAMES_TESTS ? "all" : String(commitNumber()));
  if (/^(?:all|\d{1,10})$/.test(chosen)) return chosen;
  throw new Error(`ROTATION is ${JSON.stringify(chosen)}; it must be "all" or a whole number`);
}

/**
 * @param items in an order that does not change from run to run
 * @param parts into how many parts the items are divided; each item is in exactly one of them
 * @param rotation as `rotationOfRun` returns it
 * @returns the items of this commit's part
 */
export function itemsOfTurn<Item>(items: readonly Item[], parts: number, rotation = rotationOfRun()): readonly Item[] {
  if (rotation === "all") return items;
  const turn = Number(rotation) % parts;
  return items.filter((_, at) => at % parts === turn);
}

/** Prints how many items a commit leaves to others. The gate repeats the line at its end. */
export function tellRotation(suite: string, what: string, chosen: number, all: number): void {
  if (chosen === all) return;
  console.log(`rotation: ${suite}: ${all - chosen} of ${all} ${what} run at other commits (ROTATION=all: all)`);
}
