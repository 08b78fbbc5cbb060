/** Repeatable options of the form `name=value`, files of such pairs, and the headers that both give. */
import { InvalidArgumentError, Option } from "commander";
import { readFileSync } from "node:fs";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";

export type Pairs = Readonly<Record<string, string>>;

/** Option parser: adds one pair to the earlier ones. */
export function addPair(written: string, before: Pairs): Pairs {
  const at = written.indexOf("=");
  if (at <= 0) throw new InvalidArgumentError("Write it as name=value.");
  return { ...before, [written.slice(0, at)]: written.slice(at + 1) };
}

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

export interface HeaderFlags {
  readonly header?: Pairs;
  readonly headerFile?: string;
}

/** @param description what the headers are for */
export function headerOptions(description: string): readonly Option[] {
  return [
    new Option("--header <name=value>", `${description}; repeatable`).argParser((written: string, before?: Pairs) =>
      addPair(written, before ?? {}),
    ),
    new Option(
      "--header-file <path>",
      "read such headers from a file with one `name: value` on each line, so that secrets stay out of the command line and the history of the shell; --header wins",
    ),
  ];
}

/** @returns undefined if no option gives headers. @throws CommandFailure if the file cannot be read */
export function headersOf({ header, headerFile }: HeaderFlags): Pairs | undefined {
  if (headerFile === undefined) return header;
  const given = new Set(Object.keys(header ?? {}).map((name) => name.toLowerCase()));
  const ofFile = Object.entries(pairsInFile(headerFile, [":", "="]));
  return { ...Object.fromEntries(ofFile.filter(([name]) => !given.has(name.toLowerCase()))), ...header };
}
