/**
 * The rules for what an attempt adds, and for its end, which leads to a segment, a retry, a pause or the end of the invocation.
 */
import { exhausted, flooredDelayMs, retryDelayMs } from "./retry.ts";
import { keptFailure, sameFailure, type AttemptFailure } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { Failure, Result } from "../model/failure.ts";
import { LAST_MOMENT_MS } from "../model/moment.ts";
import { isToBeKilled, parkUntil } from "./deadlines.ts";
import type { AttemptEnded, AttemptGrew, AttemptOutcome } from "./event.ts";
import { Freshness } from "./freshness.ts";
import { fold, type Invocation, type Phase } from "./invocation.ts";
import { counted, repeatsToKeep } from "./repeats.ts";
import { NO_RETRIES, type After, type Retries, type Segment } from "./segment.ts";
import type { Step, Transition } from "./transition.ts";

type Failed = Extract<AttemptOutcome, { kind: "failed" }>;

/**
 * Writes what an attempt has added so far; the attempt goes on. If it has added a command, the count of retries since the last
 * stored command starts again at 0. `failed` follows the same rule.
 */
export function attemptGrew(invocation: Invocation, event: AttemptGrew): Transition {
  const { policyAttempts, sinceEntry } = invocation.retries;
  const retries = { policyAttempts, sinceEntry: storesCommand(event) ? 0 : sinceEntry };
  return written(invocation, segmentOf(invocation, event, { kind: "running" }, retries), { kind: "read-on" });
}

/** Called only while the invocation is running; in every other status the rule book ignores the event. */
export function attemptEnded(invocation: Invocation, event: AttemptEnded): Transition {
  const { ending } = event;
  switch (ending.kind) {
    case "ended":
      return ended(invocation, event);
    case "suspended":
      return suspended(invocation, event, ending.awaiting);
    case "cut":
      return cut(invocation, event);
    case "failed":
      return failed(invocation, event, ending);
  }
}

function ended(invocation: Invocation, event: AttemptEnded): Transition {
  // The conversation accepts no End without an Output. So this attempt or an earlier one has an output.
  const result = lastOutput(event) ?? invocation.journal.output;
  if (result === undefined) throw new Error("An attempt ended without any output");
  return written(invocation, segmentOf(invocation, event, completed(result), NO_RETRIES), { kind: "end" });
}

/**
 * I5: an open exchange may have carried a notification that the handler did not read before it suspended. If the await names such
 * a notification, the next attempt begins at once, even if the await needs more. In a suspended invocation the notification would
 * never count, because it is no longer fresh. The request of the next attempt contains the notification, so it is not in
 * the `carried` of that attempt, and cannot cause another attempt at once.
 */
function suspended(invocation: Invocation, event: AttemptEnded, awaiting: Await): Transition {
  const { carried = [] } = event;
  if (carried.length === 0 || !new Freshness(carried).isNamedIn(awaiting)) {
    const after: After = { kind: "suspended", awaiting };
    return written(invocation, segmentOf(invocation, event, after, NO_RETRIES), { kind: "poll" });
  }
  if (!adds(event)) return { next: { ...invocation, retries: NO_RETRIES }, step: { kind: "poll" } };
  return written(invocation, segmentOf(invocation, event, { kind: "running" }, NO_RETRIES), { kind: "poll" });
}

/** Keeps the entries that came before the cut, counts no failure, and leaves the invocation to another driver. */
function cut(invocation: Invocation, event: AttemptEnded): Transition {
  // A deadline may have cut the attempt: the poll then ends the invocation.
  const park: Step = isToBeKilled(invocation, event.atMs) ? { kind: "poll" } : { kind: "park", status: "ready" };
  if (!adds(event)) return { next: { ...invocation, phase: { status: "ready" } }, step: park };
  return written(invocation, segmentOf(invocation, event, { kind: "running" }, invocation.retries), park);
}

function failed(invocation: Invocation, event: AttemptEnded, ending: Failed): Transition {
  const { behavior, nextRetryDelayMs, countsSinceEntry } = ending;
  const kept = withDeployment(invocation, event, keptFailure(ending.failure));
  const failure = counted(invocation, kept, event.attempt);
  const before = invocation.retries;
  const counts = behavior === "retry" && nextRetryDelayMs === undefined;
  const retries: Retries = {
    policyAttempts: before.policyAttempts + (counts ? 1 : 0),
    sinceEntry: (storesCommand(event) ? 0 : before.sinceEntry) + (countsSinceEntry ? 1 : 0),
  };
  const spent = counts && exhausted(event.policy, retries.policyAttempts);
  if (behavior === "fail" || (spent && event.policy.onMaxAttempts === "kill")) {
    return written(
      invocation,
      segmentOf(invocation, event, completed(terminal(ending.failure, spent)), retries, failure),
      {
        kind: "end",
      },
    );
  }
  const pauses = behavior === "pause" || spent;
  const askedMs = nextRetryDelayMs ?? retryDelayMs(event.policy, retries.policyAttempts, event.jitter);
  const delayMs = flooredDelayMs(askedMs, Math.max(retries.sinceEntry, retries.policyAttempts));
  const phase: Phase = pauses
    ? { status: "paused" }
    : { status: "backing-off", retryAtMs: Math.min(event.atMs + delayMs, LAST_MOMENT_MS) };
  const retriesKept: Retries = pauses ? NO_RETRIES : retries;
  const step: Step =
    phase.status === "backing-off"
      ? parkUntil(invocation, event.atMs, "backing-off", phase.retryAtMs)
      : parkUntil(invocation, event.atMs, "paused");
  if (!adds(event)) {
    const lastFailure = { ...failure, startedAtMs: event.attempt.startedAtMs };
    const next = { ...invocation, phase: phase, retries: retriesKept, lastFailure };
    if (sameFailure(invocation.lastFailure, failure)) return { next, step };
    const before = repeatsToKeep(invocation);
    const { repeatsKept: _, ...fresh } = next;
    return { next: fresh, step, failure: { ...lastFailure, ...(before && { before }) } };
  }
  const transition = written(invocation, segmentOf(invocation, event, { kind: "running" }, retriesKept, failure), step);
  return { ...transition, next: { ...transition.next, phase: phase } };
}

function storesCommand({ entries }: Pick<AttemptEnded, "entries">): boolean {
  return entries.some(({ kind }) => kind === "command");
}

/** Without a pin, only the failure can show operators which deployment the attempt had. */
function withDeployment({ pin }: Invocation, event: AttemptEnded, failure: AttemptFailure): AttemptFailure {
  const { deploymentId } = event.pin;
  const isPinned = pin !== undefined || event.entries.length > 0;
  return isPinned || deploymentId === "" ? failure : { ...failure, deploymentId };
}

/** I12: if the attempt got fresh notifications, a segment must list them, even if the attempt added no entries. */
function adds({ entries, sent }: AttemptEnded): boolean {
  return entries.length > 0 || sent.length > 0;
}

function segmentOf(
  invocation: Invocation,
  event: AttemptEnded | AttemptGrew,
  after: After,
  retries: Retries,
  failure?: AttemptFailure,
): Segment {
  const repeats = repeatsToKeep(invocation);
  return {
    index: invocation.segmentIndex + 1,
    writtenAtMs: event.atMs,
    attempt: event.attempt,
    consumed: event.sent,
    entries: event.entries,
    after,
    retries,
    // The first segment with entries sets the pin. Before that, the invocation may still move to another deployment.
    ...(event.entries.length > 0 && invocation.pin === undefined && { pin: event.pin }),
    ...(event.grant !== undefined && { grant: event.grant }),
    ...(failure && { failure }),
    ...(repeats && { repeats }),
  };
}

function written(invocation: Invocation, segment: Segment, step: Step): Transition {
  return { next: fold(invocation, segment), segment, step };
}

function completed(result: Result): After {
  return { kind: "completed", result, tombstone: false, killed: false };
}

function lastOutput({ entries }: AttemptEnded): Result | undefined {
  let result: Result | undefined;
  for (const entry of entries) {
    if (entry.kind === "command" && entry.command.kind === "output") result = entry.command.result;
  }
  return result;
}

/** As on the reference server, callers see the stack trace only if the invocation ended because no retry was left. */
function terminal({ code, message, stacktrace }: AttemptFailure, spent: boolean): Result {
  const failure: Failure = { code, message, ...(spent && stacktrace !== undefined && { stacktrace }) };
  return { kind: "failure", failure };
}
