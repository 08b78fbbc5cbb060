/** Other names under which a setting may be given: those of the published reference where ours is plainer. */
import type { SettingPath } from "./settings-table.ts";

/** Where both are given in one place, the setting's own name wins. */
export const ALIASES: Readonly<Record<string, SettingPath>> = {
  "journal-retention": "default-journal-retention",
  "worker.storage-rocksdb.path": "worker.storage.path",
};

export const ALIAS_NAMES: readonly string[] = Object.keys(ALIASES);

/** The setting of which this is another name; undefined where it is none. */
export function aliased(name: string): SettingPath | undefined {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}
