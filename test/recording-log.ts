/** A log and a meter for tests that keep their entries. */
import type { Log, LogFields, Meter } from "../shared/engine/ports/log.ts";

export interface LogLine {
  readonly level: "audit" | "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  audit(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: "audit", message, fields });
  }

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: "debug", message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: "info", message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: "warn", message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: "error", message, fields });
  }
}

export interface Measure {
  readonly kind: "count" | "observe" | "gauge";
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

export class RecordingMeter implements Meter {
  readonly measures: Measure[] = [];

  count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    this.measures.push({ kind: "count", name, value: by, labels });
  }

  observe(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.measures.push({ kind: "observe", name, value, labels });
  }

  gauge(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.measures.push({ kind: "gauge", name, value, labels });
  }

  /** The sum of the counts under a name. */
  total(name: string): number {
    return this.measures.reduce((sum, one) => (one.kind === "count" && one.name === name ? sum + one.value : sum), 0);
  }
}

/** A log for tests that do not read it. */
export const silentLog: Log = { audit() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A meter for tests that do not read it. */
export const silentMeter: Meter = { count() {}, observe() {}, gauge() {} };
