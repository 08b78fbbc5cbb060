/** Computes the delay before the next attempt, and decides whether the policy allows another attempt. */
import type { RetryPolicy } from "../model/service.ts";

/** Up to 30 % is added to each delay, so that invocations that failed together do not retry together. */
const JITTER_SHARE = 0.3;

/**
 * After each of its first few failures without progress, an invocation may retry at once; after each later failure it waits at
 * least the floor.
 */
const FLOOR_AFTER_FAILURES = 3;
const FLOOR_MS = 50;

/**
 * Raises a short delay to a floor. A policy, or a deployment by `next_retry_delay`, may ask for no delay at all. Without
 * the floor, an invocation with no delay makes some 9,000 attempts a second.
 * @param failedSinceEntry the number of failed attempts without progress, this one included
 */
export function flooredDelayMs(delayMs: number, failedSinceEntry: number): number {
  return failedSinceEntry > FLOOR_AFTER_FAILURES ? Math.max(delayMs, FLOOR_MS) : delayMs;
}

/** True if the policy allows no further attempt. @param failedAttempts the number of failures, this one included */
export function exhausted(policy: RetryPolicy, failedAttempts: number): boolean {
  return policy.maxAttempts !== undefined && failedAttempts >= Math.max(1, policy.maxAttempts);
}

/** The delay before the next attempt. @param failedAttempts 1 after the first failure @param jitter 0 to 1 */
export function retryDelayMs(policy: RetryPolicy, failedAttempts: number, jitter: number): number {
  const grown = policy.initialIntervalMs * policy.factor ** (Math.max(1, failedAttempts) - 1);
  const capped = Math.min(Number.isFinite(grown) ? grown : policy.maxIntervalMs, policy.maxIntervalMs);
  return Math.round(capped * (1 + JITTER_SHARE * jitter));
}
