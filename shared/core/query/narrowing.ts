/**
 * The filters of a statement that an index can use. They exclude only rows that the statement would drop anyway.
 */

/** An absent member does not filter. Values are compared as texts; moments are in epoch milliseconds. */
export interface Bound {
  readonly in?: readonly string[];
  readonly notIn?: readonly string[];
  /** Only rows without a value. */
  readonly isAbsent?: true;
  /** Inclusive. */
  readonly fromMs?: number;
  /** Inclusive. */
  readonly toMs?: number;
}

/** Bounds by column name. */
export type Narrowing = ReadonlyMap<string, Bound>;

export const EVERYTHING: Narrowing = new Map();

/** The conjunction of two bounds. */
export function both(left: Bound, right: Bound): Bound {
  const fromMs = Math.max(left.fromMs ?? -Infinity, right.fromMs ?? -Infinity);
  const toMs = Math.min(left.toMs ?? Infinity, right.toMs ?? Infinity);
  const notIn = [...(left.notIn ?? []), ...(right.notIn ?? [])];
  const one = left.in ?? right.in;
  const other = left.in === undefined ? undefined : right.in;
  return {
    ...(one && { in: other === undefined ? one : one.filter((value) => other.includes(value)) }),
    ...(notIn.length > 0 && { notIn }),
    ...((left.isAbsent ?? right.isAbsent) && { isAbsent: true }),
    ...(fromMs !== -Infinity && { fromMs }),
    ...(toMs !== Infinity && { toMs }),
  };
}

/** A bound that allows all values that at least one of the two allows; undefined unless both have `in`. */
export function either(left: Bound, right: Bound): Bound | undefined {
  if (left.in !== undefined && right.in !== undefined) return { in: [...new Set([...left.in, ...right.in])] };
  return undefined;
}

export function allows(bound: Bound | undefined, value: string | undefined): boolean {
  if (bound === undefined) return true;
  if (bound.isAbsent === true && value !== undefined) return false;
  // An absent value fulfils no condition on values.
  if (value === undefined) return bound.in === undefined && bound.notIn === undefined;
  if (bound.in !== undefined && !bound.in.includes(value)) return false;
  return bound.notIn === undefined || !bound.notIn.includes(value);
}
