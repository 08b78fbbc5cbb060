/** The log as JSON lines, written by pino; by default on standard error. */
import { pino, type DestinationStream, type Logger } from "pino";
import type { Log, LogFields } from "../../engine/ports/log.ts";
import { LOG_EVENTS, type LogEvent } from "../../engine/ports/log-events.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface PinoLogOptions {
  /** Lines below this level are dropped, except audit lines; default `info`. */
  readonly level?: LogLevel;
  /** Fields of every line, such as the name of the Lambda function. */
  readonly fields?: LogFields;
  /** Called for every line; returns more fields for it, such as the id of the current request. */
  readonly fieldsNow?: () => LogFields;
  /** Waits until each line is written, for processes that may freeze or end right after a line. Default false. */
  readonly synchronous?: boolean;
  /** Lines go to standard output instead of standard error. */
  readonly toStandardOutput?: boolean;
  /** Replaces both standard streams. */
  readonly destination?: DestinationStream;
}

/** The number of the level `audit`, the only level of the audit logger. */
const AUDIT = 60;

/** Each line already has these keys. A given field with such a name would be a duplicate key, so it is renamed. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set(["level", "time", "event", "message"]);

/**
 * Writes only the given fields, which are plain values. Requests, header maps and error objects cannot be passed, so no
 * secret inside them reaches the log.
 */
export class PinoLog implements Log {
  readonly #logger: Logger;
  /** The logger of audit lines. It ignores the level of the options, so that no setting silences it. */
  readonly #auditing: Logger<"audit">;

  constructor(options: PinoLogOptions = {}) {
    const destination =
      options.destination ??
      pino.destination({ dest: options.toStandardOutput === true ? 1 : 2, sync: options.synchronous ?? false });
    const { fieldsNow } = options;
    const form = {
      base: options.fields === undefined ? null : unreserved(options.fields),
      messageKey: "message",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      // A copy, because pino writes the fields of the line into it.
      ...(fieldsNow !== undefined && { mixin: () => ({ ...unreserved(fieldsNow()) }) }),
    };
    this.#logger = pino({ ...form, level: options.level ?? "info" }, destination);
    this.#auditing = pino<"audit">({ ...form, level: "audit", customLevels: { audit: AUDIT } }, destination);
  }

  write(event: LogEvent, fields: LogFields = {}): void {
    const { level, message } = LOG_EVENTS[event];
    try {
      if (level === "audit") this.#auditing.audit({ event, ...unreserved(fields) }, message);
      else if (this.#logger.isLevelEnabled(level)) this.#logger[level]({ event, ...unreserved(fields) }, message);
    } catch {
      // A failing log must not fail the work, and no other channel can report the failure.
    }
  }
}

function unreserved(fields: LogFields): LogFields {
  if (!Object.keys(fields).some((name) => RESERVED_FIELDS.has(name))) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [RESERVED_FIELDS.has(name) ? `${name}_` : name, value]),
  );
}
