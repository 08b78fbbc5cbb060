/** The ports of logs and metrics. Their methods never throw. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** Records the act of an operator; written at every log level. */
  audit(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Names are snake_case with the unit last, as Prometheus requires; labels are few and bounded. */
export interface Meter {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
