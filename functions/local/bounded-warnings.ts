/** Bounds the warnings of a flood: a number of lines per event and second, and one line that counts the others. */
import { LOG_EVENTS } from "../../shared/engine/ports/log-events.ts";
import type { LogEvent } from "../../shared/engine/ports/log-events.ts";
import type { Log, LogFields } from "../../shared/engine/ports/log.ts";

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
