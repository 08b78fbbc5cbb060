/** Sizes in configuration: `32MiB`, `1.5 GB`, `4096`. */

const UNIT_BYTES: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1000,
  kb: 1000,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

const SIZE = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/;

/** Whole bytes; undefined if the text is not a size. */
export function sizeBytes(text: string): number | undefined {
  const [, amount, name = ""] = SIZE.exec(text.trim().toLowerCase()) ?? [];
  const unit = Object.hasOwn(UNIT_BYTES, name) ? UNIT_BYTES[name] : undefined;
  if (amount === undefined || unit === undefined) return undefined;
  const bytes = Math.round(Number(amount) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
