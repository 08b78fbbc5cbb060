/** Reads a payload from the option itself, a file or standard input: JSON, unless a header names another content type. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";
import type { Pairs } from "./pair-options.ts";
import { isJson, utf8Text } from "../../../shared/api/wire/pretty-json.ts";

const CONTENT_TYPE = "content-type";
const JSON_TYPE = "application/json";

export interface Payload {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty without data. */
  readonly body: Uint8Array;
}

export function dataOption(): Option {
  return new Option("-d, --data <json>", "the input as JSON; @file reads it from a file, and - from standard input");
}

/**
 * @param given headers of the request; a content type other than JSON allows any data
 * @throws CommandFailure if the data cannot be read, or is not JSON
 */
export async function readPayload(data: string | undefined, given: Pairs = {}): Promise<Payload> {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const body = data === undefined ? new Uint8Array(0) : await bytesOf(data);
  if (body.length === 0) return { headers, body };
  const type = headers[CONTENT_TYPE] ?? JSON_TYPE;
  if (type.startsWith(JSON_TYPE) && !isJson(utf8Text(body) ?? "")) {
    throw new CommandFailure("The data is not JSON", {
      exitCode: EXIT_USAGE,
      fix: `Write a text in double quotes, as '"text"', or send other data under its type: --header ${CONTENT_TYPE}=text/plain.`,
    });
  }
  return { headers: { ...headers, [CONTENT_TYPE]: type }, body };
}

async function bytesOf(data: string): Promise<Uint8Array> {
  if (data === "-") return readStandardInput();
  if (!data.startsWith("@")) return Buffer.from(data, "utf8");
  try {
    return await readFile(data.slice(1));
  } catch (error) {
    throw new CommandFailure(`The file ${data.slice(1)} cannot be read`, {
      exitCode: EXIT_USAGE,
      cause: (error as NodeJS.ErrnoException).code ?? String(error),
      fix: "Give the path of a readable file after the @.",
    });
  }
}

export async function readStandardInput(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
