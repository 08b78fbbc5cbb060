/** Compares two pictures leaf by leaf. */
import type { Picture } from "./picture.ts";

/** A leaf that is not the same on both sides; `undefined` on the side that has none. */
export interface Found {
  /** The members down to the leaf. */
  readonly path: readonly string[];
  readonly ours: unknown;
  readonly theirs: unknown;
}

export function compare(ours: unknown, theirs: unknown, path: readonly string[] = []): Found[] {
  if (isTree(ours) && isTree(theirs)) {
    const members = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...members].flatMap((member) => compare(ours[member], theirs[member], [...path, member]));
  }
  return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ path, ours, theirs }];
}

function isTree(value: unknown): value is Picture {
  return typeof value === "object" && value !== null;
}

export function shownFound({ path, ours, theirs }: Found): string {
  return `${path.join(" / ")}\n    ours:   ${shown(ours)}\n    theirs: ${shown(theirs)}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
