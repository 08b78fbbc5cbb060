/**
 * Reads settings from defaults, a file, the environment and flags; each of these overrides the ones before it.
 * An invalid value prevents the start, and so does an unknown key whose name suggests security; other unknown keys only cause
 * warnings.
 */
import { readFileSync } from "node:fs";
import { tomlValue } from "./toml-settings.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { foreignReason } from "./foreign-settings.ts";
import { nearestWord } from "./nearest-word.ts";
import { settingsNamed, type NamedSetting } from "./setting-names.ts";
import type { Setting } from "./setting-kinds.ts";
import {
  fileSettings,
  flags,
  namesLike,
  variables,
  type Given,
  type Named,
  type SettingsSources,
} from "./setting-sources.ts";
import { SETTING_PATHS, SETTINGS, type SettingPath, type Settings } from "./settings-table.ts";

export interface SettingsRead {
  readonly settings: Settings;
  /** Sentences about settings that have no effect. */
  readonly warnings: readonly string[];
}

/** A variable with a name of the reference server (`RESTATE_...`) ranks after every variable with the prefix `STEPWELL_`. */
const REFERENCE_RANK = 1_000;

/** @throws CodedError RT0002 that names the file, variable or flag, and key and line if known */
export function readSettings(sources: SettingsSources): SettingsRead {
  const given = new Map<SettingPath, Given>();
  const warnings: string[] = [];
  const places = [fileSettings(sources.defaults), fileSettings(sources.file), variables(sources.environment)];
  for (const place of [...places, flags(sources.flags)]) {
    for (const [path, value] of settledIn(place, warnings)) given.set(path, value);
  }
  const settings = Object.fromEntries(SETTING_PATHS.map((path) => [path, valueOf(SETTINGS[path], given.get(path))]));
  return { settings: settings as Settings, warnings };
}

/** A raw value for one setting, by one of its names. */
interface Candidate extends Given {
  readonly by: Named;
  readonly target: NamedSetting;
}

/**
 * The values that one place sets: the defaults, the file, the environment or the flags. If the place contains several names of
 * one setting, the name with the lowest rank counts.
 */
function settledIn(place: readonly Named[], warnings: string[]): ReadonlyMap<SettingPath, Candidate> {
  const settled = new Map<SettingPath, Candidate>();
  for (const named of place) {
    if (settingsNamed(named.name).length === 0) warnings.push(unknownName(named));
    for (const candidate of candidatesOf(named)) {
      const before = settled.get(candidate.target.path);
      if (before === undefined || rankOf(candidate) < rankOf(before)) settled.set(candidate.target.path, candidate);
    }
  }
  for (const named of place) warnings.push(...withoutEffect(named, settled));
  return settled;
}

function candidatesOf(by: Named): readonly Candidate[] {
  return settingsNamed(by.name).flatMap((target) => {
    const raw = target.translate === undefined ? by.raw : target.translate(by.raw);
    return raw === undefined ? [] : [{ raw, origin: by.origin, by, target }];
  });
}

function rankOf({ by, target }: Candidate): number {
  return target.rank + (by.isReferences === true ? REFERENCE_RANK : 0);
}

/** Warns about a known name that sets nothing. A name for several settings gets no warning if it sets at least one of them. */
function withoutEffect(named: Named, settled: ReadonlyMap<SettingPath, Candidate>): readonly string[] {
  const paths = settingsNamed(named.name).map(({ path }) => path);
  const winners = candidatesOf(named).map(({ target }) => settled.get(target.path)!);
  if (paths.length === 0 || winners.some(({ by }) => by === named)) return [];
  const [winner] = winners;
  if (winner === undefined) return [`${named.origin}: the value has no equal here; set ${paths.join(", ")}`];
  return [`${named.origin} has no effect, because ${winner.origin} sets ${winner.target.path}`];
}

function valueOf(setting: Setting<unknown>, given: Given | undefined): unknown {
  if (given === undefined) return setting.fallback;
  const { raw } = given;
  const read = setting.read(setting.textIsToml === true && typeof raw === "string" ? tomlValue(raw) : raw);
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

/**
 * Makes the warning about a name that is no setting. If the name concerns security, the function throws instead, because a start
 * without the requested protection would be unsafe, and a warning is too easy to miss.
 * @throws CodedError RT0002 if the name concerns security, unless the variable may belong to another program
 */
function unknownName(named: Named): string {
  const { origin, written, name } = named;
  const reason = foreignReason(name);
  const nearest = reason === undefined ? nearestWord(written, namesLike(written)) : undefined;
  const more = reason === undefined ? nearest && `; did you mean ${nearest}?` : `: ${reason}`;
  const text = `There is no such setting, ${origin}${more ?? ""}`;
  if (named.mayBeOthers === true || !asksForSecurity(written)) return text;
  throw new CodedError(
    "RT0002",
    `${text}. Its name concerns security, so the server does not start without it: correct the name, or remove the setting`,
  );
}

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
