/** Retries throttled requests beyond the client's own retries, and names the bottleneck. */
import type { Clock } from "../../engine/ports/clock.ts";
import { type Patience, tryAgain } from "./try-again.ts";

const NAMES: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
]);

const PATIENCE: Patience = { tries: 5, firstWaitMs: 200, waitMaxMs: 2_000, passes: isThrottling };

/** A throttled request had no effect, so even a throttled write can be sent again. @throws what the last try threw */
export async function pastThrottling<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return await tryAgain(clock, PATIENCE, attempt);
}

/**
 * Repeats a batch until it is complete: DynamoDB serves only a part if throughput is short, or if the answer is too large.
 * @param attempt requests the remaining keys, and returns how many are still unserved
 * @throws what the last try threw, or ThrottlingException if several tries in a row serve no further key
 */
export async function pastUnserved(clock: Clock, attempt: () => Promise<number>): Promise<void> {
  let before = Infinity;
  for (let isServed = false; !isServed;) {
    await tryAgain(clock, PATIENCE, async () => {
      const left = await attempt();
      const isAdvancing = left < before;
      before = left;
      isServed = left === 0;
      if (isServed || isAdvancing) return;
      const error = new Error(`${left} keys of a batch were not served`);
      error.name = "ThrottlingException";
      throw error;
    });
  }
}

function isThrottling(error: unknown): boolean {
  return error instanceof Error && NAMES.has(error.name);
}

/**
 * @returns the bottleneck that DynamoDB names, such as `TableWriteKeyRangeThroughputExceeded` for one hot partition
 * or `IndexWriteAccountLimitExceeded`; undefined if it names none
 */
export function throttlingReasons(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const reported = (error as { readonly throttlingReasons?: unknown }).throttlingReasons;
  const older = (error as { readonly ThrottlingReasons?: unknown }).ThrottlingReasons;
  const reasons = Array.isArray(reported) ? reported : Array.isArray(older) ? older : [];
  const texts = reasons.map((each: { readonly reason?: string; readonly resource?: string }) =>
    each.resource === undefined ? `${each.reason}` : `${each.reason} at ${each.resource}`,
  );
  return texts.length === 0 ? undefined : texts.join(", ");
}
