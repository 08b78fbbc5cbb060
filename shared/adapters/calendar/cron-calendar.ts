/**
 * Reads cron expressions with croner on a calendar without clock changes, and places the local times that it finds in a time zone. So
 * the rule for clock changes is here: a local time that a change leaves out is none, and of one that comes twice the first counts.
 */
import { Cron } from "croner";
import type { Calendar } from "../../engine/ports/schedules.ts";
import { isZone, localTimeOf, momentOfLocal } from "./zones.ts";

/** Expressions are parsed again once this many others were read. */
const KEPT_MAX = 1_000;
/** A change of a clock leaves out fewer local times in a row than this, so the search goes on until then. */
const TRIES_MAX = 50;
const SECOND_MS = 1_000;
/** No change of a clock repeats more than this. */
const REPEATED_MAX_MS = 26 * 3_600_000;

const UNCLEAR = /[^\x21-\x7e ]|\?/;

export class CronCalendar implements Calendar {
  readonly #parsed = new Map<string, Cron>();

  readonly next = (expression: string, timeZone: string, afterMs: number): number | undefined => {
    const cron = this.#cronOf(expression);
    let localMs = localTimeOf(timeZone, afterMs);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const nextLocalMs = nextIn(cron, localMs);
      if (nextLocalMs === undefined) return undefined;
      const momentMs = momentOfLocal(timeZone, nextLocalMs);
      if (momentMs !== undefined && momentMs > afterMs) return momentMs;
      localMs =
        momentMs === undefined ? behindGap(timeZone, nextLocalMs) : behindRepetition(timeZone, afterMs, nextLocalMs);
    }
    return undefined;
  };

  refusal(expression: string): string | undefined {
    if (UNCLEAR.test(expression)) return "it has a character that no field allows";
    const fields = expression.trim().split(/ +/).length;
    if (!expression.startsWith("@") && fields !== 5 && fields !== 6) return `it has ${fields} fields`;
    try {
      return nextIn(this.#cronOf(expression), 0) === undefined ? "no date fits it" : undefined;
    } catch (error) {
      return (error as Error).message.replace(/^CronPattern: /, "").replace(/\.$/, "");
    }
  }

  knowsZone(name: string): boolean {
    return isZone(name);
  }

  #cronOf(expression: string): Cron {
    const known = this.#parsed.get(expression);
    if (known !== undefined) return known;
    const cron = new Cron(expression, { timezone: "UTC", paused: true, mode: "5-or-6-parts" });
    if (this.#parsed.size >= KEPT_MAX) this.#parsed.clear();
    this.#parsed.set(expression, cron);
    return cron;
  }
}

function nextIn(cron: Cron, localMs: number): number | undefined {
  return cron.nextRun(new Date(localMs))?.getTime();
}

/** A local time in a gap: the search goes on with the last second of the gap, at most a day later. */
function behindGap(timeZone: string, localMs: number): number {
  return lastWhere(localMs, (atMs) => momentOfLocal(timeZone, atMs) === undefined);
}

/** The local times that came before `afterMs` for the first time: the search goes on with the last of them. */
function behindRepetition(timeZone: string, afterMs: number, localMs: number): number {
  return lastWhere(localMs, (atMs) => (momentOfLocal(timeZone, atMs) ?? Infinity) <= afterMs);
}

/** @param holds true for `fromMs` and the times up to some second after it, false from then on */
function lastWhere(fromMs: number, holds: (atMs: number) => boolean): number {
  let [low, high] = [0, REPEATED_MAX_MS / SECOND_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(fromMs + middle * SECOND_MS)) low = middle;
    else high = middle;
  }
  return fromMs + low * SECOND_MS;
}
