/** Ages as filters write them: `>1h`, `<10m`, `7d`. */

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @returns undefined for a text that is no age */
export function ageMsOf(text: string): number | undefined {
  const [, count, unit] = /^[<>]?(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
