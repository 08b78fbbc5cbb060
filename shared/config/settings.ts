/**
 * Reads settings from a file, the environment and flags; each of these overrides the ones before it.
 * An invalid value refuses the start, and so does an unknown key whose name suggests security; other unknown keys are
 * warnings.
 */
import { CodedError } from "../core/errors/coded-error.ts";
import { aliased, ALIAS_NAMES } from "./setting-aliases.ts";
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
  /** Whole sentences about unknown keys. */
  readonly warnings: readonly string[];
}

const NAMES: readonly string[] = [...SETTING_PATHS, ...ALIAS_NAMES];
const NAME_OF_VARIABLE: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [variableOf(name), name]));

/** Variables of the command line (`functions/cli/session.ts`), which name a server for the other commands. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["STEPWELL_ADMIN_URL", "STEPWELL_INGRESS_URL"]);

/** The flags of `stepwell dev` (`functions/cli/dev-command.ts`), as the user writes them. */
const FLAGS: Partial<Readonly<Record<string, string>>> = {
  "ingress.port": "--ingress-port",
  "admin.port": "--admin-port",
  "ingress.bind": "--host",
  "admin.bind": "--host",
  "data-dir": "--data-dir",
  "log.format": "--json",
};

/** A raw value and its origin, as text. */
interface Given {
  readonly raw: unknown;
  readonly origin: string;
}

interface Named extends Given {
  /** The key in the table's spelling, if the table has it. */
  readonly name: string;
  /** The key as the user wrote it. */
  readonly written: string;
}

/** @throws CodedError RT0002 that names the file, variable or flag, and key and line if known */
export function readSettings(sources: SettingsSources): SettingsRead {
  const given = new Map<SettingPath, Given>();
  const warnings: string[] = [];
  for (const named of [fileSettings(sources.file), variables(sources.environment), flags(sources.flags)]) {
    // Aliases are read first, so that within one source a setting's own name overrides its aliases.
    const inOrder = [...named].sort((a, b) => Number(isSetting(a.name)) - Number(isSetting(b.name)));
    for (const { name, raw, origin, written } of inOrder) {
      const path = isSetting(name) ? name : aliased(name);
      if (path === undefined && asksForSecurity(written)) throw new CodedError("RT0002", securityKey(origin, written));
      else if (path === undefined) warnings.push(unknownKey(origin, written));
      else given.set(path, { raw, origin });
    }
  }
  const settings = Object.fromEntries(SETTING_PATHS.map((path) => [path, valueOf(SETTINGS[path], given.get(path))]));
  return { settings: settings as Settings, warnings };
}

function fileSettings(file: SettingsSources["file"]): readonly Named[] {
  if (file === undefined) return [];
  return readTomlSettings(file.path, file.text).map(({ key, raw, line }) => ({
    name: key,
    written: key,
    raw,
    origin: `${file.path}${line === undefined ? "" : `, line ${line}`}: ${key}`,
  }));
}

function variables(environment: SettingsSources["environment"]): readonly Named[] {
  return Object.entries(environment)
    .filter(([variable, raw]) => variable.startsWith("STEPWELL_") && !OF_COMMANDS.has(variable) && raw !== undefined)
    .map(([variable, raw]) => ({
      name: NAME_OF_VARIABLE.get(variable) ?? variable,
      written: variable,
      raw,
      origin: `the environment variable ${variable}`,
    }));
}

function flags(given: SettingsSources["flags"]): readonly Named[] {
  return Object.entries(given)
    .filter(([, raw]) => raw !== undefined)
    .map(([name, raw]) => ({ name, written: name, raw, origin: `the flag ${FLAGS[name] ?? name}` }));
}

function isSetting(key: string): key is SettingPath {
  return Object.hasOwn(SETTINGS, key);
}

function valueOf(setting: Setting<unknown>, given: Given | undefined): unknown {
  if (given === undefined) return setting.fallback;
  const read = setting.read(given.raw);
  if (read !== undefined) return read.value;
  const what = setting.mayBeSecret === true && given.raw !== "" ? "what was given" : shown(given.raw);
  throw new CodedError("RT0002", `${given.origin}: ${what} is not ${setting.expected}`);
}

function shown(raw: unknown): string {
  const written = typeof raw === "bigint" ? String(raw) : (JSON.stringify(raw) ?? String(raw));
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}

/** A setting with one of these words in its name usually makes a program sign, encrypt or require credentials. */
const SECURITY = new Set(
  ["auth", "authentication", "authorization", "certificate", "credentials", "encryption", "identity"].concat([
    "iam",
    "jwt",
    "mtls",
    "password",
    "private",
    "secret",
    "signing",
    "tls",
    "token",
  ]),
);

function asksForSecurity(written: string): boolean {
  return written
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => SECURITY.has(word));
}

/** A start without the requested protection would be unsafe, and a warning is too easy to miss. */
function securityKey(origin: string, written: string): string {
  return `${unknownKey(origin, written)}. Its name concerns security, so the server does not start without it: correct the name, or remove the setting`;
}

/** Suggests the nearest known name, in the same form as the unknown one. */
function unknownKey(origin: string, written: string): string {
  const known = written.startsWith("STEPWELL_") ? [...NAME_OF_VARIABLE.keys()] : NAMES;
  const nearest = nearestWord(written, known);
  return `There is no such setting, ${origin}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
}
