/** The ports of logs and metrics. Their methods never throw. */
import type { LogEvent } from "./log-events.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** Records an event. The table `LOG_EVENTS` has the level and the message of each event. */
  write(event: LogEvent, fields?: LogFields): void;
}

/** One value of a gauge. */
export interface GaugeValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Names are in snake_case with the unit last, as usual for Prometheus. Labels are few, and have few values. */
export interface Meter {
  /** True if each set of labels has a monthly price: names of services are then not used as labels, and zeros are left out. */
  readonly isPriced: boolean;
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Sets a gauge to exactly these readings: the label sets of earlier readings disappear. */
  gauges(name: string, readings: readonly GaugeValue[]): void;
}
