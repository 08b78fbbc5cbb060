/** The shape of an event of the log. */

/** Level `audit` records the act of an operator; it is written at every configured log level. */
export type LogEventLevel = "audit" | "info" | "warn" | "error";

export interface LogEventEntry {
  readonly level: LogEventLevel;
  /** What has happened, as a sentence without its full stop. The sentence may change; the name of the event does not. */
  readonly message: string;
  /** What an operator does about the event, in whole sentences; absent if the event needs no action. */
  readonly remedy?: string;
}
