/** Which part of a rotating suite a commit runs: the whole would take the gate too long, so each commit runs another part. */
import { execFileSync } from "node:child_process";

/** `ROTATION=all` runs every part, and `ROTATION=3` runs the part that has this remainder. */
const CHOSEN = process.env["ROTATION"];

/** @returns a number that follows from the hash of the commit, or 0 outside of a repository */
function commitNumber(): number {
  try {
    return Number.parseInt(execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).slice(0, 8), 16);
  } catch {
    return 0;
  }
}

/**
 * @param items in an order that does not change from run to run
 * @param parts into how many parts the items are divided; each item is in exactly one of them
 * @returns the items of this commit's part
 */
export function itemsOfTurn<Item>(items: readonly Item[], parts: number): readonly Item[] {
  if (CHOSEN === "all") return items;
  if (CHOSEN !== undefined && !/^\d{1,9}$/.test(CHOSEN)) {
    throw new Error(`ROTATION is ${JSON.stringify(CHOSEN)}; it must be "all" or a whole number`);
  }
  const turn = (CHOSEN === undefined ? commitNumber() : Number(CHOSEN)) % parts;
  return items.filter((_, at) => at % parts === turn);
}
