/** Parses the TOML configuration file into dotted keys with their lines. */
import { parse, TomlError } from "smol-toml";
import { CodedError } from "../core/errors/coded-error.ts";

export interface TomlSetting {
  /** Dotted, with underscores converted to hyphens. */
  readonly key: string;
  readonly raw: unknown;
  /** From 1; undefined if the textual search of `linesOfKeys` found no line of this key. */
  readonly line: number | undefined;
}

/** @throws CodedError RT0002 with file, line and column if the text is not TOML */
export function readTomlSettings(path: string, text: string): readonly TomlSetting[] {
  const lines = linesOfKeys(text);
  return [...leaves(parsed(path, text), "")].map(([key, raw]) => ({ key, raw, line: lines.get(key) }));
}

function parsed(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0]!;
    throw new CodedError("RT0002", `${path}, line ${error.line}, column ${error.column}: ${reason}`, { cause: error });
  }
}

function* leaves(value: unknown, prefix: string): Generator<readonly [string, unknown]> {
  for (const [name, inner] of Object.entries(value as object)) {
    const key = prefix + uniform(name);
    if (isTable(inner)) yield* leaves(inner, `${key}.`);
    else yield [key, inner];
  }
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function uniform(name: string): string {
  return name.replaceAll("_", "-");
}

/** Finds the lines by a textual search, because the parser reports no positions. The result is precise enough for a message. */
function linesOfKeys(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let section = "";
  for (const [at, line] of text.split("\n").entries()) {
    const header = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) section = `${dotted(header)}.`;
    const name = line.slice(0, Math.max(0, line.indexOf("="))).trim();
    if (/^[\w."' -]+$/.test(name)) lines.set(section + dotted(name), at + 1);
  }
  return lines;
}

function dotted(name: string): string {
  return uniform(name.replaceAll(/[\s"']/g, ""));
}

/** @returns undefined for a text that is a value neither in JSON nor in TOML */
export function tomlValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parse(`value = ${text}`)["value"];
    } catch {
      return undefined;
    }
  }
}
