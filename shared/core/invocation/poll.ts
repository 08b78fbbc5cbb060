/** The rules of a poll. They decide whether the driver makes an attempt, parks or ends the invocation, or first gets its lock. */
import type { Await } from "../model/await-tree.ts";
import type { Failure } from "../model/failure.ts";
import { CLOCK_SKEW_MAX_MS } from "../model/time-units.ts";
import { needsLock } from "./acceptance.ts";
import {
  cancelByDeadline,
  dueDeadline,
  type DueDeadline,
  isByDeadline,
  neverStarted,
  nextDeadlineMs,
  notEndedInTime,
  notStartedInTime,
  parkUntil,
} from "./deadlines.ts";
import type { Arrival, Poll } from "./event.ts";
import { Freshness } from "./freshness.ts";
import { fold, type Invocation, type Phase } from "./invocation.ts";
import { openSleeps } from "./journal.ts";
import { isCancel, obey, takenInOrder } from "./orders.ts";
import {
  cancelByReplacement,
  isReplacedNow,
  killOfReplacementMs,
  replacedBy,
  type Replacement,
  replacementIn,
} from "./replacement.ts";
import { repeatsToKeep } from "./repeats.ts";
import { NO_RETRIES, type Segment, type Consumption } from "./segment.ts";
import { type Transition, ignore } from "./transition.ts";

type NotificationArrival = Extract<Arrival, { kind: "notification" }>;

const KILLED: Failure = { code: 409, message: "killed" };
const CANCELED: Failure = { code: 409, message: "canceled" };

export function poll(invocation: Invocation, event: Poll): Transition {
  const { phase } = invocation;
  if (phase.status === "completed") return { next: invocation, step: { kind: "end" } };
  if (event.arrivals.some(({ kind }) => kind === "kill")) return kill(invocation, { atMs: event.atMs });
  const due = dueDeadline(invocation, event.atMs);
  if (due === "start" || due === "kill") return endByDeadline(invocation, event.atMs, due);
  const replacement = replacementIn(event.arrivals);
  if (replacement !== undefined && isReplacedNow(invocation, replacement, event.atMs))
    return endByReplacement(invocation, replacement, event.atMs);
  return pollInTime(invocation, phase, withCancels(invocation, event, replacement));
}

/** Decides what follows while no deadline ends the invocation. */
function pollInTime(invocation: Invocation, phase: Exclude<Phase, { status: "completed" }>, event: Poll): Transition {
  const arrivals = event.arrivals.filter((arrival) => arrival.kind === "notification");
  const cancelled = arrivals.some(isCancel);
  // If no attempt has begun, no handler can react to the cancel, so the invocation ends as a tombstone.
  if (cancelled && neverStarted(invocation))
    return arrivals.some((one) => isCancel(one) && !isByDeadline(one))
      ? end(invocation, CANCELED, event.atMs, { tombstone: true, killed: false })
      : endByDeadline(invocation, event.atMs, "cancel");
  const obeyed = obey(invocation, event);
  if (obeyed !== undefined) return obeyed;
  switch (phase.status) {
    case "scheduled":
      return event.atMs < phase.startAtMs
        ? park(invocation, event, "scheduled", phase.startAtMs)
        : attempt(invocation, event, arrivals);
    case "backing-off":
      return event.atMs < phase.retryAtMs && !cancelled && !isBehind(invocation, event)
        ? park(invocation, event, "backing-off", phase.retryAtMs)
        : attempt(invocation, event, arrivals);
    case "paused":
      // A cancel resumes a paused invocation, so that the handler can react to it. Otherwise only an order to resume does.
      return cancelled
        ? attempt({ ...invocation, retries: NO_RETRIES }, event, arrivals)
        : park(invocation, event, "paused");
    case "suspended":
      return lookAtSuspended(invocation, phase, event, arrivals);
    case "ready":
    case "running":
    case "pending":
      return attempt(invocation, event, arrivals);
  }
}

/**
 * True if the clock was set back since the invocation last changed: its next attempt was set by a clock that was ahead, and would
 * otherwise wait for as long as the clock was ahead.
 */
function isBehind({ modifiedAtMs }: Invocation, { atMs }: Poll): boolean {
  return atMs < modifiedAtMs - CLOCK_SKEW_MAX_MS;
}

/** Ends the invocation with a final segment at the next index. This segment fences a running driver (I1). */
export function kill(
  invocation: Invocation,
  { atMs, failure = KILLED }: { readonly atMs: number; readonly failure?: Failure },
): Transition {
  if (invocation.phase.status === "completed") return ignore(invocation, "it has ended already");
  // An end for a reason of its own is kept for its caller.
  const tombstone = failure === KILLED && neverStarted(invocation);
  return end(invocation, failure, atMs, { tombstone, killed: true });
}

/**
 * Ends the invocation with the failure of a deadline. Its caller gets the failure, so the end is no tombstone, even if no handler ran.
 */
function endByDeadline(invocation: Invocation, atMs: number, due: DueDeadline): Transition {
  const { acceptance } = invocation;
  const hasRun = !neverStarted(invocation);
  const failure = due === "start" ? notStartedInTime(acceptance) : notEndedInTime(acceptance, hasRun);
  return end(invocation, failure, atMs, { tombstone: false, killed: due === "kill" && hasRun });
}

function endByReplacement(invocation: Invocation, replacement: Replacement, atMs: number): Transition {
  return end(invocation, replacedBy(replacement), atMs, { tombstone: false, killed: !neverStarted(invocation) });
}

/** A deadline and a replacement cancel as a caller does: by an arrival. */
function withCancels<E extends Pick<Poll, "atMs" | "arrivals">>(
  invocation: Invocation,
  event: E,
  replacement: Replacement | undefined,
): E {
  const byDeadline = cancelByDeadline(invocation, event.atMs);
  const byReplacement = replacement && cancelByReplacement(invocation, replacement);
  if (byDeadline === undefined && byReplacement === undefined) return event;
  const cancels = [byDeadline, byReplacement].filter((one) => one !== undefined);
  return { ...event, arrivals: [...event.arrivals, ...cancels] };
}

function end(
  invocation: Invocation,
  failure: Failure,
  atMs: number,
  how: { tombstone: boolean; killed: boolean },
): Transition {
  const repeats = repeatsToKeep(invocation);
  const segment: Segment = {
    index: invocation.segmentIndex + 1,
    writtenAtMs: atMs,
    ...(repeats && { repeats }),
    consumed: [],
    entries: [],
    after: { kind: "completed", result: { kind: "failure", failure }, ...how },
    retries: NO_RETRIES,
  };
  return { next: fold(invocation, segment), segment, step: { kind: "end" } };
}

/** I6: an invocation that runs alone on its key needs the lock before an attempt; the driver acquires a missing lock first. */
function attempt(
  invocation: Invocation,
  { atMs, holdsLock }: Poll,
  arrivals: readonly NotificationArrival[],
): Transition {
  if (needsLock(invocation.acceptance) && holdsLock !== true) return { next: invocation, step: { kind: "acquire" } };
  const arrived = new Set(arrivals.map(({ consumption }) => consumption.key));
  const { due } = sleepsAt(invocation, atMs, arrived);
  return {
    next: { ...invocation, phase: { status: "running" }, attempts: invocation.attempts + 1 },
    step: { kind: "attempt", take: takenInOrder(arrivals), dueSleeps: due },
  };
}

/** The notifications, ended sleeps and order that have come for an attempt whose exchange is open. */
export interface News {
  /** Fresh notifications that the exchange has not carried yet, in their order in the journal. */
  readonly take: readonly Consumption[];
  readonly dueSleeps: readonly number[];
  /** The end of the next sleep, or the next deadline if it comes before; undefined if neither is to come. */
  readonly nextSleepAtMs: number | undefined;
  /** An order, which the driver obeys between two attempts. */
  readonly order: "kill" | "other" | undefined;
}

/** @param sent the keys of the notifications that the exchange has carried and that no segment lists yet */
export function newsFor(
  invocation: Invocation,
  { atMs, arrivals }: Pick<Poll, "atMs" | "arrivals">,
  sent: ReadonlySet<string>,
): News {
  const fresh: NotificationArrival[] = [];
  const keys = new Set(sent);
  let order: News["order"];
  const all = withCancels(invocation, { atMs, arrivals }, replacementIn(arrivals));
  for (const arrival of all.arrivals) {
    if (arrival.kind === "replaced") continue;
    if (arrival.kind !== "notification") {
      if (order !== "kill") order = arrival.kind === "kill" ? "kill" : "other";
    } else if (!sent.has(arrival.consumption.key)) {
      fresh.push(arrival);
      keys.add(arrival.consumption.key);
    }
  }
  const { due, next } = sleepsAt(invocation, atMs, keys);
  const deadlineMs = nextDeadlineMs(invocation, atMs);
  const nextSleepAtMs = deadlineMs === undefined ? next : Math.min(deadlineMs, next ?? Infinity);
  return { take: takenInOrder(fresh), dueSleeps: due, nextSleepAtMs, order };
}

/** The open sleeps that are over, except those whose completions have arrived, and the moment at which the next sleep ends. */
function sleepsAt({ journal }: Invocation, atMs: number, arrived: ReadonlySet<string>) {
  const due: number[] = [];
  for (const { completionId, wakeAtMs } of openSleeps(journal)) {
    if (arrived.has(`c${completionId}`)) continue;
    if (wakeAtMs > atMs) return { due, next: wakeAtMs };
    due.push(completionId);
  }
  return { due, next: undefined };
}

/** Until the given moment, and at the latest until a deadline or a replacement asks for something. */
function park(
  invocation: Invocation,
  { atMs, arrivals }: Poll,
  status: "scheduled" | "backing-off" | "paused" | "suspended",
  wakeAtMs?: number,
): Transition {
  const replacement = replacementIn(arrivals);
  const killMs = replacement === undefined ? Infinity : killOfReplacementMs(replacement);
  const untilMs = Math.min(wakeAtMs ?? Infinity, killMs);
  return { next: invocation, step: parkUntil(invocation, atMs, status, untilMs === Infinity ? undefined : untilMs) };
}

/**
 * I5: an await is judged against fresh notifications only, not against those that the suspended attempt already got. A cut inbox
 * leads to an attempt in any case: the arrivals that it left in the table may satisfy the await, and the driver can read these
 * only after a segment has listed the arrivals that it read before.
 */
function lookAtSuspended(
  invocation: Invocation,
  suspended: Extract<Phase, { status: "suspended" }>,
  event: Poll,
  arrivals: readonly NotificationArrival[],
): Transition {
  const known = new Freshness(suspended.fresh);
  for (const { consumption } of arrivals) known.add(consumption.entry);
  const sleeps = openSleeps(invocation.journal);
  for (const { completionId, wakeAtMs } of sleeps) if (wakeAtMs <= event.atMs) known.sleepOver(completionId);
  if (event.isCut === true || known.satisfies(suspended.awaiting)) return attempt(invocation, event, arrivals);
  const wakeAtMs = firstSleepToSatisfy(suspended.awaiting, known, sleeps, event.atMs);
  return park(invocation, event, "suspended", wakeAtMs);
}

/**
 * The moment of the first sleep whose end satisfies the await. Sleeps end in the order of their times, and a satisfied
 * await stays satisfied.
 */
function firstSleepToSatisfy(
  awaiting: Await,
  known: Freshness,
  sleeps: readonly { completionId: number; wakeAtMs: number }[],
  atMs: number,
): number | undefined {
  for (const { completionId, wakeAtMs } of sleeps) {
    if (wakeAtMs <= atMs) continue;
    known.sleepOver(completionId);
    if (known.satisfies(awaiting)) return wakeAtMs;
  }
  return undefined;
}
