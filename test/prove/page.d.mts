/** The types of `page.mjs`. */

/** By the name of a part and its form, what was played. */
type Kept = Readonly<Record<string, unknown>>;

export function readKept(): Kept;
export function withTable(page: string, kept: Kept): string;
export function writeDocs(run: unknown): void;
