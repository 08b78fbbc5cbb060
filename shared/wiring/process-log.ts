/** The log of the local process, as JSON lines or as readable lines. */
import { PinoLog } from "../adapters/system/pino-log.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Log } from "../engine/ports/log.ts";

/** @param write receives whole lines in the format `pretty`; `json` writes to standard error itself */
export function processLog(settings: Settings, write: (line: string) => void): Log {
  const level = settings["log.level"];
  if (settings["log.format"] === "json") return new PinoLog({ level });
  return new PinoLog({ level, destination: { write: (line: string) => write(prettyLine(line)) } });
}

/**
 * Formats a line as `12:34:56.789 WARN  message key=value`. The name of the event is left out, because the message states the
 * event. The field `command` follows the message without the quotes of JSON, so that it can be pasted. A line that is not JSON
 * stays unchanged.
 */
export function prettyLine(line: string): string {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { time, level, event: _event, message, command, ...fields } = parsed;
  const moment = String(time).slice(11, 23);
  const texts = Object.entries(fields).map(([name, value]) => ` ${name}=${fieldText(value)}`);
  const call = command === undefined ? "" : `: ${plain(command)}`;
  return `${moment} ${String(level).toUpperCase().padEnd(5)} ${plain(message)}${call}${texts.join("")}\n`;
}

function fieldText(value: unknown): string {
  return typeof value === "string" && /^[\w./:@#+-]+$/.test(value) ? value : escaped(JSON.stringify(value));
}

/** Escapes control characters, because a line end in the text could forge a line of the log. Keeps quotes and backslashes. */
function plain(message: unknown): string {
  return escaped(JSON.stringify(String(message)).slice(1, -1).replaceAll('\\"', '"').replaceAll("\\\\", "\\"));
}

/**
 * Escapes characters that JSON does not escape and that could reverse or control a terminal's output. Callers and handlers
 * choose some of the texts.
 */
function escaped(text: string): string {
  return text.replaceAll(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (found) => {
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
