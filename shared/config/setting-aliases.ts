/** Other names under which a setting may be given: those of the published reference where ours is plainer. */
import type { SettingPath } from "./settings-table.ts";

/** Where both are given in one place, the setting's own name wins. */
export const ALIASES: Readonly<Record<string, SettingPath>> = {
  // The name that the reference has now; the plain one is its former name.
  "worker.invoker.request-identity-private-key-pem-file": "request-identity-private-key-pem-file",
  "journal-retention": "default-journal-retention",
  "worker.storage-rocksdb.path": "worker.storage.path",
};

export const ALIAS_NAMES: readonly string[] = Object.keys(ALIASES);

/** The setting of which this is another name; undefined where it is none. */
export function aliased(name: string): SettingPath | undefined {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}
