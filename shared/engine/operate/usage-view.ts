/** Computes the usage of an invocation so far from one load of it: items, bytes, write units and exchanges. */
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { AttemptView, UsageView } from "../ports/view-parts.ts";
import type { Loaded } from "../store/load.ts";

/**
 * @param aside the failures of attempts that stored no entry; only the last 32 of them are kept
 * @returns undefined if the journal was dropped, because its items are gone
 */
export function usageOf(
  { stored, last, invocation }: Pick<Loaded, "stored" | "last" | "invocation">,
  attempts: readonly AttemptView[],
  aside: readonly AttemptFailure[],
): UsageView | undefined {
  if (stored === undefined || last?.segment.endAlone === true) return undefined;
  let exchangeMs = 0;
  for (const { startedAtMs, endedAtMs } of attempts) exchangeMs += Math.max(0, endedAtMs - startedAtMs);
  for (const { startedAtMs, atMs } of aside) exchangeMs += Math.max(0, atMs - (startedAtMs ?? atMs));
  // An attempt that failed in the same way as the one before leaves no item, but the number of the last attempt includes it.
  const exchanges = Math.max(attempts.length + aside.length, invocation.attempts);
  return { ...stored, exchanges, exchangeMs };
}
