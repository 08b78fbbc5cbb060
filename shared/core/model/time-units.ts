/** The lengths of units of time that have a fixed length, and how far clocks may be apart. */

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;
export const DAY_S = DAY_MS / SECOND_MS;

/** The clocks of two processes of one store differ by less. */
export const CLOCK_SKEW_MAX_MS = MINUTE_MS;
