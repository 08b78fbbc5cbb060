/** Types of `published-manifest.mjs`. */

export interface PublishedManifest {
  readonly name: string;
  readonly version: string;
  readonly bin: { readonly stepwell: string };
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

/** @param own the parsed `package.json` of this repository */
export function publishedManifest(own: unknown): PublishedManifest;

export function missingParts(
  manifest: Pick<PublishedManifest, "bin" | "exports" | "files">,
  packed: readonly string[],
): readonly string[];
