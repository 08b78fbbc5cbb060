/** How long the parts of a connection may take; the settings `listeners.…` set all but the interval of checks. */

/** Time limits of a connection. */
export interface ArrivalLimits {
  /** How long a new connection may send nothing, and how long the head of an HTTP/1.1 request may take to arrive. */
  readonly headWithinMs: number;
  /** From the start of the request to the end of its body. */
  readonly requestWithinMs: number;
  /** How long a connection may have no request. */
  readonly idleMs: number;
  /** How long an answer may stay completely unread. */
  readonly unreadMs: number;
  /** The interval of checks on connections. */
  readonly checkEveryMs: number;
}

export const ARRIVAL: ArrivalLimits = {
  headWithinMs: 60_000,
  requestWithinMs: 300_000,
  // Clients keep idle connections for less time. So clients close them first, and no request arrives on a closing connection.
  idleMs: 75_000,
  unreadMs: 60_000,
  checkEveryMs: 10_000,
};
