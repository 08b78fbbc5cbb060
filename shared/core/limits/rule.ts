/** A rule: a pattern, and how many of its invocations run at a time, or begin in a time. */
import { durationText, parseDurationMs } from "../model/duration.ts";
import { DAY_MS } from "../model/time-units.ts";

/** A rate of starts: `count` in each `perMs`, and up to `burst` of them at once. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
  readonly burst: number;
}

export interface Limits {
  /** How many invocations of a pool run at a time. */
  readonly concurrency?: number;
  /** How many invocations of a pool begin in a time. */
  readonly rate?: Rate;
}

export interface Rule {
  /** The text of the pattern, which names the rule. */
  readonly pattern: string;
  readonly limits: Limits;
  readonly description?: string;
  readonly disabled: boolean;
  /** Counts the changes of this rule, from 1 on. */
  readonly version: number;
  readonly modifiedAtMs: number;
}

/** As many as the reference server takes. */
export const RULES_MAX = 10_000;
export const DESCRIPTION_MAX = 1_000;
export const CONCURRENCY_MAX = 10_000;
export const RATE_COUNT_MAX = 1_000_000;
export const RATE_PER_MAX_MS = DAY_MS;
/** The bucket counts whole microseconds, so a faster rate would be off by more than a hundredth. */
export const RATE_MAX_PER_MS = 10;

const RATE = /^(\d{1,12})\/(.+)$/;
const EXAMPLE = "for example '100/1m' for a hundred starts a minute";

/**
 * @param text a count and a duration, such as `100/1m` or `5/s`
 * @param burst how many may begin at once; by default as many as begin in a second, and at least one
 * @returns the rate, or a sentence that says why the text is none
 */
export function parseRate(text: string, burst?: number): Rate | string {
  const [, digits, per] = RATE.exec(text) ?? [];
  if (digits === undefined || per === undefined) return `The rate '${text}' is not '<count>/<duration>', ${EXAMPLE}.`;
  const count = Number(digits);
  const perMs = parseDurationMs(/^\d/.test(per) ? per : `1${per}`);
  if (count < 1 || count > RATE_COUNT_MAX)
    return `The rate '${text}' has the count ${count}. It should be 1 to ${RATE_COUNT_MAX}, ${EXAMPLE}.`;
  if (perMs === undefined || perMs < 1 || perMs > RATE_PER_MAX_MS)
    return `The rate '${text}' has the duration '${per}'. It should be 1ms to ${durationText(RATE_PER_MAX_MS)}, ${EXAMPLE}.`;
  if (count > RATE_MAX_PER_MS * perMs)
    return `The rate '${text}' is more than ${RATE_MAX_PER_MS * 1_000} starts a second, which is the most, ${EXAMPLE}.`;
  if (burst !== undefined && (!Number.isInteger(burst) || burst < 1 || burst > RATE_COUNT_MAX))
    return `The burst of the rate '${text}' is ${burst}. It should be a whole number from 1 to ${RATE_COUNT_MAX}.`;
  return { count, perMs, burst: burst ?? Math.max(1, Math.ceil((count * 1_000) / perMs)) };
}

/** @returns for example `100/1m` */
export function rateText({ count, perMs }: Rate): string {
  return `${count}/${durationText(perMs).replaceAll(" ", "")}`;
}
