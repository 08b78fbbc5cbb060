/** @see growth-report.mjs */

export interface Step {
  readonly contestant: string;
  readonly series: string;
  readonly size: number;
  readonly [measured: string]: string | number;
}

export interface Series {
  readonly name: string;
  readonly title: string;
  readonly chart: string;
}

export interface Panel {
  readonly of: string;
  readonly title: string;
  readonly per?: number;
}

export const SERIES: readonly Series[];
export const PANELS: readonly Panel[];
export function pointsOf(
  steps: readonly Step[],
  series: string,
  panel: Panel,
): { readonly server: string; readonly size: number; readonly value: number }[];
export function growthTable(steps: readonly Step[], series: string): string;
