/** Waits out throttling beyond what the client itself waits, and says what it was that had no room. */
import type { Clock } from "../../engine/ports/clock.ts";

const TRIES = 5;
const FIRST_WAIT_MS = 200;
const WAIT_MAX_MS = 2_000;

const NAMES: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
]);

/** Nothing of a throttled request was done, so that it can be sent again whatever it was. @throws what the last try threw */
export async function pastThrottling<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === TRIES || !isThrottling(error)) throw error;
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), WAIT_MAX_MS);
    // Jittered, or those who were refused together would come back together.
    await clock.sleep(waitMs * (0.5 + Math.random() / 2));
  }
}

function isThrottling(error: unknown): boolean {
  return error instanceof Error && NAMES.has(error.name);
}

/**
 * @returns what DynamoDB tells of the bottleneck, such as `TableWriteKeyRangeThroughputExceeded` for one hot partition
 * or `IndexWriteAccountLimitExceeded`; undefined where it tells nothing
 */
export function throttlingReasons(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const told = (error as { readonly throttlingReasons?: unknown }).throttlingReasons;
  const older = (error as { readonly ThrottlingReasons?: unknown }).ThrottlingReasons;
  const reasons = Array.isArray(told) ? told : Array.isArray(older) ? older : [];
  const texts = reasons.map((each: { readonly reason?: string; readonly resource?: string }) =>
    each.resource === undefined ? `${each.reason}` : `${each.reason} at ${each.resource}`,
  );
  return texts.length === 0 ? undefined : texts.join(", ");
}
