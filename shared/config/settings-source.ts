/** Loads the settings of a process from a configuration file, its environment and flags. */
import { readFileSync } from "node:fs";
import { CodedError } from "../core/errors/coded-error.ts";
import { readSettings } from "./settings.ts";
import type { SettingsRead } from "./settings.ts";
import type { SettingsSources } from "./setting-sources.ts";

/** The reference's variable with the path of the configuration file. */
const FILE_VARIABLE = "RESTATE_CONFIG";

/** @throws CodedError RT0002, also if the file cannot be read */
export function loadSettings(configFile: string | undefined, flags: SettingsSources["flags"]): SettingsRead {
  const path = configFile ?? process.env[FILE_VARIABLE];
  const file = path === undefined ? {} : { file: { path, text: textOf(path) } };
  return readSettings({ ...file, environment: process.env, flags });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CodedError("RT0002", `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
