/** The types of `catalogue.mjs`. */

export type Suite = "seeds" | "crash-points" | "histories" | "specification" | "beside-reference" | "doors" | "rules";

export interface PlantedMistake {
  readonly suite: Suite;
  readonly file: string;
  readonly what: string;
  /** An invariant of docs/design.md, or another rule in words. */
  readonly breaks: string;
}

export const PARTS: number;
export const SUITES: Readonly<Record<Suite, string>>;
export const MISTAKES: readonly PlantedMistake[];
