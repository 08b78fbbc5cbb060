/** Checks settings that are optional in general and required in one composition. */
import type { SettingPath, Settings } from "../config/settings-table.ts";
import { variableOf } from "../config/setting-variables.ts";
import { CodedError } from "../core/errors/coded-error.ts";

type TextPath = { [Path in SettingPath]: Settings[Path] extends string | undefined ? Path : never }[SettingPath];

/** @throws CodedError RT0002 if the setting is missing */
export function required(settings: Settings, path: TextPath): string {
  const value = settings[path];
  if (value !== undefined) return value;
  throw new CodedError("RT0002", `${path} is not set; the environment variable ${variableOf(path)} sets it`);
}
