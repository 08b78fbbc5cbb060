/** Other names of settings. They are names of the published reference that differ from the names here. */
import type { SettingPath } from "./settings-table.ts";

/** If one source gives a setting by both names, the value under its own name counts. */
export const ALIASES: Readonly<Record<string, SettingPath>> = {
  // The current name in the reference; the setting has its former name.
  "worker.invoker.request-identity-private-key-pem-file": "request-identity-private-key-pem-file",
  "journal-retention": "default-journal-retention",
  "worker.storage-rocksdb.path": "worker.storage.path",
};

export const ALIAS_NAMES: readonly string[] = Object.keys(ALIASES);

/** The setting with this alias; undefined if there is none. */
export function aliased(name: string): SettingPath | undefined {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}
