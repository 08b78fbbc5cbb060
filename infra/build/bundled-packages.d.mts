import type { Metafile } from "esbuild";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The license in its `package.json`, such as `MIT`. */
  readonly license: string;
  readonly texts: readonly string[];
}

export const LICENSES_FILE: string;

/** @see bundled-packages.mjs */
export function bundledPackages(metafile: Metafile, root: string, outputs?: readonly string[]): BundledPackage[];

export function licensesText(packages: readonly BundledPackage[]): string;
