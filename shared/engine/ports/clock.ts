/** The port of time: the only place where the engine learns what time it is, or waits. */

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves `true` after `ms`, or `false` as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
}
