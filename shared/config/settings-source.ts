/** Loads the settings of a process from a configuration file, its environment and flags. */
import { readFileSync } from "node:fs";
import { CodedError } from "../core/errors/coded-error.ts";
import { readSettings } from "./settings.ts";
import type { SettingsRead } from "./settings.ts";
import type { SettingsSources } from "./setting-sources.ts";

/**
 * The variable in which the reference server also expects the path of its configuration file. An empty value counts as unset,
 * because container tools often pass an unset variable as an empty text.
 */
const FILE_VARIABLE = "RESTATE_CONFIG";
/** The path of a file with other defaults, such as those of the image: every other place of settings overrides it. */
const DEFAULTS_VARIABLE = "STEPWELL_DEFAULTS_FILE";

/** @throws CodedError RT0002, also if the file cannot be read */
export function loadSettings(configFile: string | undefined, flags: SettingsSources["flags"]): SettingsRead {
  const file = fileAt(configFile ?? variable(FILE_VARIABLE));
  const defaults = fileAt(variable(DEFAULTS_VARIABLE));
  return readSettings({ ...(defaults && { defaults }), ...(file && { file }), environment: process.env, flags });
}

function variable(name: string): string | undefined {
  const given = process.env[name];
  return given === "" ? undefined : given;
}

function fileAt(path: string | undefined): SettingsSources["file"] {
  return path === undefined ? undefined : { path, text: textOf(path) };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CodedError("RT0002", `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
