/** The types of `page.mjs`. */

interface Piece {
  readonly version: string;
  readonly node: string;
  readonly cpu: string;
  /** The numbers of the chunks that were played at this commit, as "1-3 5". */
  readonly chunks: string;
  readonly seconds: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** By the name of a part and its form, the number of its chunks and what was played. */
type Kept = Readonly<
  Record<string, Readonly<Record<string, { readonly of: number; readonly pieces: readonly Piece[] }>>>
>;

interface Run extends Pick<Piece, "version" | "node" | "cpu"> {
  readonly form: string;
  readonly parts: readonly {
    readonly name: string;
    readonly chunks: number;
    readonly played: readonly (Pick<Piece, "seconds" | "figures"> & { readonly number: number })[];
  }[];
}

export function readKept(): Kept;
export function withTable(page: string, kept: Kept): string;
export function withRun(kept: Kept, run: Run): Kept;
export function chunksKept(kept: Kept, name: string, form: string): ReadonlySet<number>;
export function writeDocs(run: Run): void;
