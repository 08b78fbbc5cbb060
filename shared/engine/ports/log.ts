/** The ports of telling: structured log lines and counted measures. Neither ever throws. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** The audit of operators, written at every level of the log. */
  audit(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Names in snake_case with their unit last, as Prometheus wants them; labels few and bounded. */
export interface Meter {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
