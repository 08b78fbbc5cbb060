/** The ports of logs and metrics. Their methods never throw. */
import type { LogEvent } from "./log-events.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** Records an event; the table `LOG_EVENTS` has its level and its sentence. */
  write(event: LogEvent, fields?: LogFields): void;
}

/** Names are snake_case with the unit last, as Prometheus requires; labels are few and bounded. */
export interface Meter {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
