/** The names of settings: which settings a name sets, and the environment variable of a setting. */
import type { Alias, Setting } from "./setting-kinds.ts";
import { SETTING_PATHS, SETTINGS, type SettingPath } from "./settings-table.ts";

/** A setting that a name sets. */
export interface NamedSetting {
  readonly path: SettingPath;
  /**
   * 0 for the setting's own name. If the file, the environment or the flags contain several names of one setting, the name with
   * the lowest rank counts.
   */
  readonly rank: number;
  readonly translate?: Alias["translate"];
}

const BY_ALIAS: ReadonlyMap<string, readonly NamedSetting[]> = grouped();

export const ALIAS_NAMES: readonly string[] = [...BY_ALIAS.keys()];

/** The settings that this name sets; some aliases set several. Empty for an unknown name. */
export function settingsNamed(name: string): readonly NamedSetting[] {
  return isSetting(name) ? [{ path: name, rank: 0 }] : (BY_ALIAS.get(name) ?? []);
}

function isSetting(name: string): name is SettingPath {
  return Object.hasOwn(SETTINGS, name);
}

function grouped(): ReadonlyMap<string, readonly NamedSetting[]> {
  const byAlias = new Map<string, NamedSetting[]>();
  for (const path of SETTING_PATHS) {
    const { aliases = [] }: Setting<unknown> = SETTINGS[path];
    for (const [at, { name, translate }] of aliases.entries()) {
      const named = { path, rank: at + 1, ...(translate && { translate }) };
      byAlias.set(name, [...(byAlias.get(name) ?? []), named]);
    }
  }
  return byAlias;
}

/** The name of a setting's environment variable, in which two underscores separate sections. */
export function variableOf(path: string): string {
  return `STEPWELL_${capitals(path)}`;
}

/** The same variable in the form of the reference. */
export function referenceVariableOf(path: string): string {
  return `RESTATE_${capitals(path)}`;
}

function capitals(path: string): string {
  return path.toUpperCase().replaceAll(".", "__").replaceAll("-", "_");
}
