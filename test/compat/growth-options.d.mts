/** @see growth-options.mjs */

export interface GrowthOptions {
  readonly stored: readonly number[];
  readonly sleeping: readonly number[];
  readonly seconds: number;
  readonly clients: number;
  readonly referenceUpTo: number;
  readonly help: boolean;
}

export function readGrowthOptions(args: readonly string[]): GrowthOptions;
