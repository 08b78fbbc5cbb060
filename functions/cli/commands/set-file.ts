/** Reads a file that contains a whole set, such as `{"schedules": [...]}`. */
import { readFile } from "node:fs/promises";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";
import { readStandardInput } from "./payload.ts";

const FILE_MAX_BYTES = 10 * 1024 * 1024;

/**
 * @param file the path of a JSON file; `-` is standard input
 * @param member the name of the list in the file
 * @param example a sentence that shows how to write the file
 * @returns the content of the file, whose list is an array
 * @throws CommandFailure
 */
export async function readSet<Member extends string>(
  file: string,
  member: Member,
  example: string,
): Promise<Readonly<Record<Member, readonly unknown[]>>> {
  const bytes = file === "-" ? await readStandardInput() : await readable(file);
  if (bytes.length > FILE_MAX_BYTES)
    throw new CommandFailure(`${file} has ${bytes.length} bytes, and at most ${FILE_MAX_BYTES} are read`, {
      exitCode: EXIT_USAGE,
      fix: "Keep large inputs elsewhere, and pass their addresses.",
    });
  let set: unknown;
  try {
    set = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new CommandFailure(`${file} is no JSON`, {
      exitCode: EXIT_USAGE,
      cause: (error as Error).message,
      fix: example,
    });
  }
  if (hasList(set, member)) return set;
  throw new CommandFailure(`${file} has no list '${member}'`, { exitCode: EXIT_USAGE, fix: example });
}

function hasList<Member extends string>(
  set: unknown,
  member: Member,
): set is Readonly<Record<Member, readonly unknown[]>> {
  return typeof set === "object" && set !== null && Array.isArray((set as Record<string, unknown>)[member]);
}

async function readable(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandFailure(`The file ${file} cannot be read`, {
      exitCode: EXIT_USAGE,
      cause: (error as NodeJS.ErrnoException).code ?? String(error),
      fix: "Give the path of a readable file.",
    });
  }
}
