/** Warnings at start about valid settings that do not take effect as written. */
import type { Settings } from "../config/settings-table.ts";
import { notice } from "../core/errors/coded-error.ts";

/** Whole sentences, each with the code of its kind. */
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
