/** How far the clocks of the processes of one store may be apart. */
import { MINUTE_MS } from "./time-units.ts";

/** The clocks of two processes differ by less. */
export const CLOCK_SKEW_MAX_MS = MINUTE_MS;
