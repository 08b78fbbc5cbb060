/** Writes the effective configuration as TOML that reads back as the same settings, except for masked secrets. */
import { stringify } from "smol-toml";
import { MASK, shownUri } from "../core/model/deployment.ts";
import { withoutSecrets } from "../core/model/secret-properties.ts";
import type { ConfiguredCluster } from "./kafka-cluster-list.ts";
import type { Setting } from "./setting-kinds.ts";
import { SETTING_PATHS, SETTINGS, type SettingPath, type Settings } from "./settings-table.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DURATIONS: readonly (readonly [string, number])[] = [
  ["d", 1_440 * MINUTE_MS],
  ["h", 60 * MINUTE_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
];
const SIZES: readonly (readonly [string, number])[] = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
];
const NO_LIMIT = "unlimited";

type Section = { [name: string]: unknown };

/** Settings without a value are left out. Credentials in addresses are masked. */
export function settingsToml(settings: Settings): string {
  const root: Section = {};
  for (const path of SETTING_PATHS) {
    const value = tomlValue(SETTINGS[path], settings[path]);
    if (value !== undefined) sectionOf(root, path)[path.slice(path.lastIndexOf(".") + 1)] = value;
  }
  return `${stringify(root)}\n`;
}

function sectionOf(root: Section, path: SettingPath): Section {
  return path
    .split(".")
    .slice(0, -1)
    .reduce((section, name) => (section[name] ??= {}) as Section, root);
}

function tomlValue(setting: Setting<unknown>, value: unknown): unknown {
  if (value === undefined) return setting.kind === "number" && setting.read(NO_LIMIT) ? NO_LIMIT : undefined;
  if (Array.isArray(value))
    return value.map((one: unknown) => (typeof one === "object" ? maskedTable(one as ConfiguredCluster) : one));
  if (setting.isSecret === true) return MASK;
  if (typeof value === "string") return setting.mayBeSecret === true ? shownUri(value) : value;
  if (typeof value !== "number") return value;
  if (setting.kind === "duration") return withUnit(value, DURATIONS);
  return setting.kind === "size" ? withUnit(value, SIZES) : value;
}

/** A cluster is written as its table, with masked secrets. */
function maskedTable({ name, properties }: ConfiguredCluster): object {
  return { name, ...withoutSecrets(properties) };
}

/** Writes the amount as a whole number of the largest unit that allows this. */
function withUnit(amount: number, units: readonly (readonly [string, number])[]): string {
  const [unit, each] = units.find((one) => amount % one[1] === 0 && amount >= one[1]) ?? units.at(-1)!;
  return `${amount / each}${unit}`;
}
