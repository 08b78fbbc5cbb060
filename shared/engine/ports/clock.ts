/** The port of time: the engine reads the time and waits through this port alone. */

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves `true` after `ms`, or `false` as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
}
