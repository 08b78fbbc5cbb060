/** The types of `parts.mjs`. */

interface Chunk {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

export const PARTS: readonly {
  readonly name: string;
  readonly what: string;
  readonly short: readonly Chunk[];
  readonly long: readonly Chunk[];
}[];
