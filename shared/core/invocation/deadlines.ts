/** The deadlines of an invocation: by when its first attempt begins, and by when it has ended. They cost nothing without one. */
import { codedText } from "../errors/coded-error.ts";
import { durationText } from "../model/duration.ts";
import type { Failure } from "../model/failure.ts";
import { LAST_MOMENT_MS } from "../model/moment.ts";
import type { RequestOptions } from "../model/request-options.ts";
import type { EffectiveSettings } from "../model/service.ts";
import type { Acceptance, Deadlines } from "./acceptance.ts";
import { clockCancel, type NotificationArrival } from "./clock-cancel.ts";
import type { Invocation } from "./invocation.ts";
import type { ParkedStatus, Step } from "./transition.ts";

type Asked = Pick<RequestOptions, "startWithinMs" | "endWithin">;
type ByHandler = Pick<EffectiveSettings, "startWithinMs" | "endWithinMs">;

type Beginning = Pick<Acceptance, "createdAtMs" | "startAtMs">;

/**
 * @param asked by the request; each member counts before that of the handler
 * @param byHandler the defaults of the handler
 * @param graceMs the time from the cancel to the kill
 * @param caller the acceptance of the calling invocation, if there is one
 */
export function deadlinesFor(
  asked: Asked,
  byHandler: ByHandler,
  graceMs: number,
  beginning: Beginning,
  caller?: Pick<Acceptance, "endByMs">,
): Deadlines {
  const startWithinMs = asked.startWithinMs ?? byHandler.startWithinMs;
  const fromMs = beginsAtMs(beginning);
  const endByMs = endOf(asked, byHandler, fromMs, caller);
  return {
    ...(startWithinMs !== undefined && { startByMs: upTo(fromMs + startWithinMs) }),
    ...(endByMs !== undefined && { endByMs: upTo(endByMs), endGraceMs: graceMs }),
  };
}

function endOf(
  { endWithin }: Asked,
  { endWithinMs }: ByHandler,
  fromMs: number,
  caller: Pick<Acceptance, "endByMs"> | undefined,
): number | undefined {
  const inherited = endWithin === "inherit" ? caller?.endByMs : undefined;
  if (inherited !== undefined) return inherited;
  const withinMs = typeof endWithin === "number" ? endWithin : endWithinMs;
  return withinMs === undefined ? undefined : fromMs + withinMs;
}

/** The deadlines of a restart: as long after its beginning as those of the former invocation were after theirs. */
export function deadlinesAnew(former: Acceptance, beginning: Beginning): Deadlines {
  const laterMs = beginsAtMs(beginning) - beginsAtMs(former);
  const { startByMs, endByMs, endGraceMs } = former;
  return {
    ...(startByMs !== undefined && { startByMs: upTo(startByMs + laterMs) }),
    ...(endByMs !== undefined && { endByMs: upTo(endByMs + laterMs) }),
    ...(endGraceMs !== undefined && { endGraceMs }),
  };
}

/** The moment from which the durations count: the acceptance, or the end of the delay. */
function beginsAtMs({ createdAtMs, startAtMs = createdAtMs }: Beginning): number {
  return Math.max(createdAtMs, startAtMs);
}

function upTo(atMs: number): number {
  return Math.min(atMs, LAST_MOMENT_MS);
}

/**
 * True if no attempt has begun, as far as stored items show, and the input is the only command of the journal. If the journal contains
 * a copied part of another journal, the handler has to run, because the handler may undo what the copied commands did. A first
 * segment may also set no more than the deployment.
 */
export function neverStarted({ phase, attempts, neverBegan = false, journal }: Invocation): boolean {
  const waits = phase.status === "scheduled" || phase.status === "ready" || phase.status === "pending";
  return attempts === 0 && journal.commandCount === 1 && (waits || (phase.status === "paused" && neverBegan));
}

/** As `neverStarted`; also true while admission holds the first attempt back. */
function hasNotStarted(invocation: Invocation): boolean {
  const { phase, attempts, journal } = invocation;
  return neverStarted(invocation) || (phase.status === "backing-off" && attempts === 0 && journal.commandCount === 1);
}

/**
 * `start`: it may not start any more. `cancel`: it has to end, and gets a cancel. `kill`: it has not ended in the time after the cancel.
 */
export type DueDeadline = "start" | "cancel" | "kill";

/** @returns the deadline that has passed and asks for something */
export function dueDeadline(invocation: Invocation, atMs: number): DueDeadline | undefined {
  const { startByMs, endByMs } = invocation.acceptance;
  if (endByMs !== undefined && atMs >= killByMs(invocation.acceptance)) return "kill";
  if (startByMs !== undefined && atMs >= startByMs && hasNotStarted(invocation)) return "start";
  return endByMs !== undefined && atMs >= endByMs ? "cancel" : undefined;
}

function killByMs({ endByMs = Infinity, endGraceMs = 0 }: Acceptance): number {
  return endByMs + endGraceMs;
}

/** The first moment at which a deadline asks for something; infinite if none does. */
export function firstDeadlineMs({ startByMs = Infinity, endByMs = Infinity }: Deadlines): number {
  return Math.min(startByMs, endByMs);
}

/** True if the invocation must end now, whatever its attempt does. */
export function isToBeKilled({ acceptance }: Invocation, atMs: number): boolean {
  return acceptance.endByMs !== undefined && atMs >= killByMs(acceptance);
}

/** The next moment after `atMs` at which a deadline asks for something; undefined if none does. */
export function nextDeadlineMs(invocation: Invocation, atMs: number): number | undefined {
  const { acceptance } = invocation;
  const { startByMs, endByMs } = acceptance;
  if (startByMs === undefined && endByMs === undefined) return undefined;
  const moments = [startByMs !== undefined && hasNotStarted(invocation) ? startByMs : Infinity];
  if (endByMs !== undefined) moments.push(endByMs, killByMs(acceptance));
  const next = Math.min(...moments.filter((one) => one > atMs));
  return next === Infinity ? undefined : next;
}

/** A park until a moment, and at the latest until the next deadline. */
export function parkUntil(
  invocation: Invocation,
  atMs: number,
  status: ParkedStatus,
  wakeAtMs?: number,
): Extract<Step, { kind: "park" }> {
  const deadlineMs = nextDeadlineMs(invocation, atMs);
  const untilMs = deadlineMs === undefined ? wakeAtMs : Math.min(deadlineMs, wakeAtMs ?? Infinity);
  return { kind: "park", status, ...(untilMs !== undefined && { wakeAtMs: untilMs }) };
}

/** No item has this key: the cancel follows from the clock, and the segment that takes it contains it. */
const KEY = "deadline";

/** The cancel that a passed deadline brings, until a segment lists it. */
export function cancelByDeadline({ acceptance, consumed }: Invocation, atMs: number): NotificationArrival | undefined {
  const { endByMs } = acceptance;
  if (endByMs === undefined || atMs < endByMs || consumed.has(KEY)) return undefined;
  return clockCancel(KEY, endByMs, atMs);
}

export function isByDeadline({ consumption }: NotificationArrival): boolean {
  return consumption.key === KEY;
}

export function notStartedInTime(acceptance: Acceptance): Failure {
  const within = durationText((acceptance.startByMs ?? 0) - beginsAtMs(acceptance));
  return {
    code: 408,
    message: codedText("RT0910", `it waited longer than ${within}, so it ended before its handler ran`),
  };
}

/** @param hasRun true if an attempt may have begun */
export function notEndedInTime(acceptance: Acceptance, hasRun: boolean): Failure {
  const { endByMs = 0, endGraceMs = 0 } = acceptance;
  const within = durationText(endByMs - beginsAtMs(acceptance));
  const how = hasRun
    ? `it was cancelled after ${within}, and killed ${durationText(endGraceMs)} later`
    : `it waited longer than ${within}, so it ended before its handler ran`;
  return { code: 504, message: codedText("RT0911", how) };
}
