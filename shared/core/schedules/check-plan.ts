/** Checks a plan of a schedule. Each refusal says what is, what should be, and an example. */
import { CodedError } from "../errors/coded-error.ts";
import { durationText } from "../model/duration.ts";
import { momentIso } from "../model/moment.ts";
import { nextMoment, type NextCron } from "./moments.ts";
import {
  CATCH_UP_MAX_MS,
  CATCH_UP_MIN_MS,
  COUNT_MAX,
  EXPRESSION_MAX_CHARS,
  HEADERS_MAX,
  HEADERS_MAX_BYTES,
  INPUT_MAX_BYTES,
  INTERVAL_MAX_MS,
  JITTER_MAX_MS,
  SCHEDULE_NAME,
  type SchedulePlan,
} from "./schedule.ts";

/** The facts about calendar and platform that the checks use. */
export interface PlanRules {
  readonly next: NextCron;
  /** @returns what is wrong with a cron expression; undefined if nothing is */
  readonly refusal: (expression: string) => string | undefined;
  readonly knowsZone: (name: string) => boolean;
  readonly intervalMinMs: number;
}

/** The check of a cron expression compares this many distances between moments with the shortest allowed one. */
const DISTANCES_COMPARED = 20;

export function invalidSchedule(reason: string): CodedError {
  return new CodedError("META0901", reason);
}

/** @throws CodedError META0901 */
export function assertName(name: string): void {
  if (SCHEDULE_NAME.test(name)) return;
  throw invalidSchedule(
    `the name '${name.slice(0, 120)}' is no name of a schedule; a name has 1 to 100 letters, digits, '.', '_' and '-', and begins with a letter or a digit, such as 'nightly-report'`,
  );
}

/**
 * @param nowMs the moment of the check: cron expressions are tried from there on
 * @throws CodedError META0901
 */
export function assertPlan(plan: SchedulePlan, rules: PlanRules, nowMs: number): void {
  assertName(plan.name);
  assertTiming(plan, rules, nowMs);
  assertTimes(plan);
  assertContent(plan);
}

function assertTiming({ name, timing }: SchedulePlan, rules: PlanRules, nowMs: number): void {
  const least = durationText(rules.intervalMinMs);
  if (timing.kind === "interval") {
    const { everyMs } = timing;
    if (Number.isSafeInteger(everyMs) && everyMs >= rules.intervalMinMs && everyMs <= INTERVAL_MAX_MS) return;
    throw invalidSchedule(
      `the interval of '${name}' is ${durationText(everyMs)}; the shortest one here is ${least} and the longest ${durationText(INTERVAL_MAX_MS)}, such as '15m'`,
    );
  }
  const { expression, timeZone } = timing;
  const shown = expression.slice(0, EXPRESSION_MAX_CHARS);
  const wrong =
    expression.length > EXPRESSION_MAX_CHARS
      ? `it has more than ${EXPRESSION_MAX_CHARS} characters`
      : rules.refusal(expression);
  if (wrong !== undefined)
    throw invalidSchedule(
      `the cron expression '${shown}' of '${name}' cannot be read: ${wrong}; it has five fields (minute, hour, day, month, weekday) or six (second first), such as '0 2 * * *' or '0 9 * * MON#1'`,
    );
  if (!rules.knowsZone(timeZone))
    throw invalidSchedule(
      `'${timeZone.slice(0, 80)}', the time zone of '${name}', is no zone of the IANA database; write a name such as 'Europe/Berlin' or 'UTC'`,
    );
  const shortest = shortestDistance(timing, rules.next, nowMs);
  if (shortest >= rules.intervalMinMs) return;
  throw invalidSchedule(
    `two moments of the cron expression '${shown}' of '${name}' are ${durationText(shortest)} apart; they must be at least ${least} apart here, such as '*/5 * * * *'`,
  );
}

function shortestDistance(timing: SchedulePlan["timing"], next: NextCron, nowMs: number): number {
  let shortest = Infinity;
  let before = nextMoment({ timing }, next, nowMs);
  for (let at = 0; at < DISTANCES_COMPARED && before !== undefined; at++) {
    const after = nextMoment({ timing }, next, before);
    if (after !== undefined) shortest = Math.min(shortest, after - before);
    before = after;
  }
  return shortest;
}

function assertTimes({ name, jitterMs, startAtMs, endAtMs, count, catchUpMs }: SchedulePlan): void {
  if (!(jitterMs >= 0 && jitterMs <= JITTER_MAX_MS))
    throw invalidSchedule(
      `the jitter of '${name}' is ${durationText(jitterMs)}; it may be 0s to ${durationText(JITTER_MAX_MS)}, such as '30s'`,
    );
  if (!(catchUpMs >= CATCH_UP_MIN_MS && catchUpMs <= CATCH_UP_MAX_MS))
    throw invalidSchedule(
      `the catch-up window of '${name}' is ${durationText(catchUpMs)}; it may be ${durationText(CATCH_UP_MIN_MS)} to ${durationText(CATCH_UP_MAX_MS)}, such as '1h'`,
    );
  if (startAtMs !== undefined && endAtMs !== undefined && endAtMs <= startAtMs)
    throw invalidSchedule(
      `'${name}' ends at ${momentIso(endAtMs)} and starts at ${momentIso(startAtMs)}; the end comes after the start`,
    );
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1 && count <= COUNT_MAX))
    throw invalidSchedule(
      `the count of '${name}' is ${count}; it is a whole number from 1 to ${COUNT_MAX}, such as 10`,
    );
}

function assertContent({ name, input, headers }: SchedulePlan): void {
  if (input.length > INPUT_MAX_BYTES)
    throw invalidSchedule(
      `the input of '${name}' has ${input.length} bytes; at most ${INPUT_MAX_BYTES} are kept with a schedule. Store a larger one elsewhere, and pass its address`,
    );
  const headerBytes = headers.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (headers.length > HEADERS_MAX || headerBytes > HEADERS_MAX_BYTES)
    throw invalidSchedule(
      `the headers of '${name}' are ${headers.length} with ${headerBytes} characters; at most ${HEADERS_MAX} with ${HEADERS_MAX_BYTES} are kept`,
    );
}
