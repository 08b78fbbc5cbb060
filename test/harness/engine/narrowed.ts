/** Bounds on columns of `sys_invocation`, as tests write them. */
import type { Bound, Narrowing } from "../../../shared/core/query/narrowing.ts";

/** @param bounds by column: the values that match, or a bound */
export function narrowed(bounds: Readonly<Record<string, readonly string[] | Bound>>): Narrowing {
  return new Map(
    Object.entries(bounds).map(([column, bound]) => [column, Array.isArray(bound) ? { in: bound } : (bound as Bound)]),
  );
}
