/** Bounds the log lines of a flood, of warnings and of ended invocations: a number of lines a second, and one line in place of the others. */
import { LOG_EVENTS, type LogEvent } from "../../shared/engine/ports/log-events.ts";
import type { Log, LogFields } from "../../shared/engine/ports/log.ts";
import type { Activity, EndedInvocation } from "../../shared/engine/ports/activity.ts";

/** The most lines of one event within a window. A failing deployment under load fails a thousand attempts a second. */
export const WARNINGS_MAX = 20;
const WINDOW_MS = 1_000;

/**
 * Bounds only warnings. Every audit line and every error line is written: audit lines are the record of changes, and
 * error lines contain ids that callers have received.
 */
export class BoundedWarnings implements Log {
  readonly #log: Log;
  /** Warnings of this window, by event. */
  readonly #seen = new Map<LogEvent, number>();
  #window: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  write(event: LogEvent, fields?: LogFields): void {
    if (LOG_EVENTS[event].level !== "warn") return this.#log.write(event, fields);
    this.#window ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    const seen = (this.#seen.get(event) ?? 0) + 1;
    this.#seen.set(event, seen);
    if (seen <= WARNINGS_MAX) this.#log.write(event, fields);
  }

  /** Ends the window: logs for each event how many lines it left out. */
  flush(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    for (const [of, seen] of this.#seen) {
      if (seen > WARNINGS_MAX) this.#log.write("warning.omitted", { of, count: seen - WARNINGS_MAX });
    }
    this.#seen.clear();
  }
}

/** The most lines within one window: a terminal shows no more, and a line costs about as much as a short invocation. */
export const LINES_MAX = 20;
/** The most characters of texts that deployments and handlers choose. */
const TARGET_MAX = 200;
const REASON_MAX = 200;

export class ActivityLines implements Activity {
  readonly #log: Log;
  #lines = 0;
  #omitted = 0;
  #failed = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Shows no key: keys may name persons, and logs outlive the data. */
  ended({ id, target, outcome, durationMs, reason }: EndedInvocation): void {
    this.#window ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    if (this.#lines === LINES_MAX) {
      this.#omitted++;
      if (outcome !== "succeeded") this.#failed++;
      return;
    }
    this.#lines++;
    this.#log.write("invocation.ended", {
      target: cut(`${target.service}/${target.handler}`, TARGET_MAX),
      outcome,
      durationMs,
      invocationId: id,
      ...(reason !== undefined && { reason: cut(reason, REASON_MAX) }),
    });
  }

  /** Ends the window: logs how many lines it left out. */
  flush(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    if (this.#omitted > 0) this.#log.write("invocation.omitted", { count: this.#omitted, notSucceeded: this.#failed });
    this.#lines = 0;
    this.#omitted = 0;
    this.#failed = 0;
  }
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
