/** A log and a meter that keep what is written, for tests that read it; and silent ones for all other tests. */
import type { Log, LogFields, Meter, GaugeValue } from "../shared/engine/ports/log.ts";
import { LOG_EVENTS, type LogEvent, type LogEventLevel } from "../shared/engine/ports/log-events.ts";

export interface LogLine {
  readonly event: LogEvent;
  readonly level: LogEventLevel;
  readonly fields: LogFields;
}

export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  write(event: LogEvent, fields: LogFields = {}): void {
    this.lines.push({ event, level: LOG_EVENTS[event].level, fields });
  }
}

export interface Measure {
  readonly kind: "count" | "observe" | "gauge";
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

export class RecordingMeter implements Meter {
  readonly isPriced: boolean;
  readonly measures: Measure[] = [];
  /** The present readings of each gauge that `gauges` sets. */
  readonly standing = new Map<string, readonly GaugeValue[]>();

  /** @param isPriced true for a meter that behaves like the meter of the functions on AWS */
  constructor(isPriced = false) {
    this.isPriced = isPriced;
  }

  count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    this.measures.push({ kind: "count", name, value: by, labels });
  }

  observe(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.measures.push({ kind: "observe", name, value, labels });
  }

  gauge(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.measures.push({ kind: "gauge", name, value, labels });
  }

  gauges(name: string, readings: readonly GaugeValue[]): void {
    this.standing.set(name, readings);
  }

  /** The sum of the counts under a name. */
  total(name: string): number {
    return this.measures.reduce((sum, one) => (one.kind === "count" && one.name === name ? sum + one.value : sum), 0);
  }
}

/** A log for tests that do not read it. */
export const silentLog: Log = { write() {} };

/** A meter for tests that do not read it. */
export const silentMeter: Meter = { isPriced: false, count() {}, observe() {}, gauge() {}, gauges() {} };
