import type { Metafile } from "esbuild";

/** @see bundle.mjs */
export function bundleFunctions(
  entries: Readonly<Record<string, string>>,
  folder: string,
  options?: { readonly quiet?: boolean },
): Promise<Metafile>;

export function productEntries(): Readonly<Record<string, string>>;
