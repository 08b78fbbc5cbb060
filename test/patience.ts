/**
 * How long tests wait. Each value is a guard against hanging, at least ten times what the wait takes on a quiet machine, so that a
 * test fails only for a wrong result, on a busy machine, too. No test has a limit of its own.
 */

/** How long a test waits for something that another process or an event will make true. */
export const SEEN_WITHIN_MS = 180_000;

/** The options of `vi.waitFor`, whose own limit is one second. */
export const SEEN_WITHIN = { timeout: SEEN_WITHIN_MS } as const;

/** How long a test or a hook may take. It is longer than several waits, so that a failed wait is named. */
export const TEST_MAX_MS = 900_000;

/** How long a test of a suite may take that only runs when no other suite wants the processors. */
export const TEST_BEHIND_MAX_MS = 3_600_000;

/** The part of each vitest configuration that says how long tests wait; `expect.poll` needs no option then. */
export const PATIENCE = {
  testTimeout: TEST_MAX_MS,
  hookTimeout: TEST_MAX_MS,
  expect: { poll: { timeout: SEEN_WITHIN_MS } },
} as const;
