/** The types of `figures.mjs`. */
export function sumOf(figures: readonly Readonly<Record<string, number>>[]): Record<string, number>;
