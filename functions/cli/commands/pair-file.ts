/** A file of pairs, one on each line, for values that do not belong on a command line, where other users and the shell's history see them. */
import { readFileSync } from "node:fs";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_USAGE } from "../text/exit-codes.ts";
import type { Pairs } from "./pair-options.ts";

/**
 * Reads lines such as `name=value`; empty lines and lines that begin with `#` are passed over.
 * @param signs the signs that may stand between a name and its value; the first one in a line counts
 * @throws CommandFailure, which shows no line, because a line may hold a secret
 */
export function pairsInFile(path: string, signs: readonly string[]): Pairs {
  const lines = textOf(path)
    .split(/\r?\n/)
    .map((line, at) => ({ text: line.trim(), number: at + 1 }));
  const pairs = lines
    .filter(({ text }) => text !== "" && !text.startsWith("#"))
    .map(({ text, number }): [string, string] => {
      const at = Math.min(...signs.map((sign) => text.indexOf(sign)).filter((index) => index > 0));
      if (Number.isFinite(at)) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      throw new CommandFailure(`Line ${number} of ${path} is not name${signs[0]}value`, {
        exitCode: EXIT_USAGE,
        fix: "Correct the line.",
      });
    });
  return Object.fromEntries(pairs);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new CommandFailure(`${path} cannot be read: ${reason}`, { exitCode: EXIT_USAGE, fix: "Correct the path." });
  }
}
