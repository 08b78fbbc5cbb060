/** The log of a process that people watch: JSON lines, or the same lines made readable. */
import { PinoLog } from "../adapters/system/pino-log.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Log } from "../engine/ports/log.ts";

/** @param write takes whole lines, for `pretty`; `json` goes to standard error by itself */
export function processLog(settings: Settings, write: (line: string) => void): Log {
  const level = settings["log.level"];
  if (settings["log.format"] === "json") return new PinoLog({ level });
  return new PinoLog({ level, destination: { write: (line: string) => write(prettyLine(line)) } });
}

/** `12:34:56.789 WARN  message key=value`. What is no line of ours stays as it is. */
export function prettyLine(line: string): string {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { time, level, message, ...fields } = parsed;
  const moment = String(time).slice(11, 23);
  const told = Object.entries(fields).map(([name, value]) => ` ${name}=${fieldText(value)}`);
  return `${moment} ${String(level).toUpperCase().padEnd(5)} ${String(message)}${told.join("")}\n`;
}

function fieldText(value: unknown): string {
  return typeof value === "string" && /^[\w./:@#+-]+$/.test(value) ? value : JSON.stringify(value);
}
