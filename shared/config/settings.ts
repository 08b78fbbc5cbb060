/** Settings from a file, the environment and flags: the later wins, the unreadable refuses the start, the unknown is told. */
import { CodedError } from "../core/errors/coded-error.ts";
import { nearestWord } from "./nearest-word.ts";
import { SETTING_PATHS, SETTINGS, variableOf } from "./settings-table.ts";
import type { Setting } from "./setting-kinds.ts";
import type { SettingPath, Settings } from "./settings-table.ts";
import { readTomlSettings } from "./toml-settings.ts";

export interface SettingsSources {
  readonly file?: { readonly path: string; readonly text: string };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags: Partial<Readonly<Record<SettingPath, string>>>;
}

export interface SettingsRead {
  readonly settings: Settings;
  /** Whole sentences about keys that nobody knows. */
  readonly warnings: readonly string[];
}

/** A raw value and the words that say where it stands. */
interface Given {
  readonly raw: unknown;
  readonly origin: string;
}

/** @throws CodedError RT0002 naming the file, variable or flag, and the key and line where they are known */
export function readSettings(sources: SettingsSources): SettingsRead {
  const given = new Map<string, Given>();
  const warnings: string[] = [];
  if (sources.file !== undefined) {
    for (const { key, raw, line } of readTomlSettings(sources.file.path, sources.file.text)) {
      const origin = `${sources.file.path}${line === undefined ? "" : `, line ${line}`}: ${key}`;
      if (isSetting(key)) given.set(key, { raw, origin });
      else warnings.push(unknownKey(origin, key, SETTING_PATHS));
    }
  }
  const byVariable = new Map(SETTING_PATHS.map((path) => [variableOf(path), path]));
  for (const [variable, raw] of Object.entries(sources.environment)) {
    if (!variable.startsWith("STEPWELL_") || raw === undefined) continue;
    const path = byVariable.get(variable);
    if (path !== undefined) given.set(path, { raw, origin: `the environment variable ${variable}` });
    else warnings.push(unknownKey(`the environment variable ${variable}`, variable, [...byVariable.keys()]));
  }
  for (const path of SETTING_PATHS) {
    const raw = sources.flags[path];
    if (raw !== undefined) given.set(path, { raw, origin: `the flag for ${path}` });
  }
  const settings = Object.fromEntries(SETTING_PATHS.map((path) => [path, valueOf(SETTINGS[path], given.get(path))]));
  return { settings: settings as Settings, warnings };
}

function isSetting(key: string): key is SettingPath {
  return Object.hasOwn(SETTINGS, key);
}

function valueOf(setting: Setting<unknown>, given: Given | undefined): unknown {
  if (given === undefined) return setting.fallback;
  const read = setting.read(given.raw);
  if (read !== undefined) return read.value;
  throw new CodedError("RT0002", `${given.origin}: ${shown(given.raw)} is not ${setting.expected}`);
}

function shown(raw: unknown): string {
  const written = typeof raw === "bigint" ? String(raw) : (JSON.stringify(raw) ?? String(raw));
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}

function unknownKey(origin: string, key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  return `There is no such setting, ${origin}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
}
