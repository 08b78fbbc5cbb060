/** The options that give headers: on the command line, or in a file, for headers with secrets. */
import { Option } from "commander";
import { pairsInFile } from "./pair-file.ts";
import { addPair } from "./pair-options.ts";
import type { Pairs } from "./pair-options.ts";

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
