/** Sizes in bytes as the pages write them. */

const UNITS = ["KB", "MB", "GB"];

/** `312 B`, `4.2 KB`; a KB has 1,024 bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  let size = bytes / 1_024;
  let at = 0;
  for (; size >= 1_024 && at < UNITS.length - 1; at++) size /= 1_024;
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${UNITS[at]}`;
}

/** With separators of thousands: `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}
