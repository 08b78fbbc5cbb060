/** When the process starts, warns if a valid setting does not take effect as written: a default retention above the maximum. */
import type { Settings } from "../config/settings-table.ts";
import { notice } from "../core/errors/coded-error.ts";

/** @returns the warnings, each a whole sentence after its code */
export function settingsWarnings(settings: Settings): readonly string[] {
  const asked = settings["default-journal-retention"];
  const most = settings["max-journal-retention"];
  if (most === undefined || asked <= most) return [];
  const { code, message } = notice(
    "RT0022",
    `default-journal-retention (${asked} ms) is cut to max-journal-retention (${most} ms).`,
  );
  return [`[${code}] ${message}`];
}
