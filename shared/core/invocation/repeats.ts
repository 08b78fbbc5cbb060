/** Counts attempts that fail in the same way one after the other: each counts, and the first and the last are known with their times. */
import { type AttemptFailure, type Repeats, sameFailure } from "../model/attempt-failure.ts";
import type { Invocation } from "./invocation.ts";
import type { AttemptSpan } from "./segment.ts";

/** Adds to a failure the number of its attempt, and how often the invocation has failed in this way. */
export function counted(
  { lastFailure }: Pick<Invocation, "lastFailure">,
  failure: AttemptFailure,
  { number }: AttemptSpan,
): AttemptFailure {
  const before = sameFailure(lastFailure, failure) ? (lastFailure?.times ?? 1) : 0;
  return { ...failure, attempt: number, times: before + 1 };
}

/**
 * The repeats that only the memory and the lease record have. The next segment or failure event keeps them, so that no write is made
 * for them.
 */
export function repeatsToKeep({
  lastFailure,
  repeatsKept = 1,
}: Pick<Invocation, "lastFailure" | "repeatsKept">): Repeats | undefined {
  const { times = 1, attempt, startedAtMs, atMs } = lastFailure ?? {};
  if (times <= repeatsKept || attempt === undefined || startedAtMs === undefined || atMs === undefined)
    return undefined;
  return { times, attempt, startedAtMs, atMs };
}

/** Consecutive attempts that failed in the same way, as the first one that is stored, with their count and the last one. */
export interface FailureRun extends AttemptFailure {
  /** 1 and more. */
  readonly times: number;
  /** Absent if the run has one attempt. */
  readonly last?: Repeats;
}

/**
 * Folds stored failures to runs.
 * @param failures in any order; one that equals the failure before it belongs to its run
 * @param repeats the stored repeats, in any order: each belongs to the run that began last before it
 */
export function failureRuns(failures: readonly AttemptFailure[], repeats: readonly Repeats[]): readonly FailureRun[] {
  const runs: FailureRun[] = [];
  const inner = failures.flatMap(({ before }) => before ?? []);
  const all = [...failures, ...repeats, ...inner].sort((a, b) => a.atMs - b.atMs);
  for (const one of all) {
    const run = runs.at(-1);
    if ("errorCode" in one && !(run && sameFailure(run, one))) {
      const { before: _, ...failure } = one;
      runs.push({ ...failure, times: one.times ?? 1 });
    } else if (run !== undefined && one.atMs > run.atMs) runs[runs.length - 1] = { ...run, ...longer(run, one) };
  }
  return runs;
}

/** The run up to a later failure of it, which states its count. */
function longer(run: FailureRun, later: AttemptFailure | Repeats): Pick<FailureRun, "times" | "last"> {
  const times = Math.max(run.times, later.times ?? run.times + 1);
  const { attempt = run.attempt ?? 0, startedAtMs = later.atMs, atMs } = later;
  return { times, last: { times, attempt, startedAtMs, atMs } };
}
