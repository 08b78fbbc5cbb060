/** @see options.mjs */

export function readOptions(args: readonly string[]): { readonly naps: number; readonly rounds: number };
