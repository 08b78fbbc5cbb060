/** @see lateness-report.mjs */

export interface Distribution {
  readonly inTime: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly maxMs?: number;
}

export interface LatenessRow extends Distribution {
  readonly contestant: string;
  readonly round: number;
  readonly shape: string;
  readonly connections: number;
  readonly naps: number;
  readonly woken: number;
}

export function distributionOf(latenessesMs: readonly number[]): Distribution;
export function latenessTable(rows: readonly LatenessRow[], names: readonly string[]): string;
