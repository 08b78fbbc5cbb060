/** What one sweeper can do, as the limits of the operators' page tell it. */

/** Reckoned from 0.8 ms of a core for a look, at 512 MB. */
export const LOOKS_PER_S = 350;
/** The sweeper works for so many seconds of each interval between its calls. */
export const WORKS_FOR_S = 225;
export const CALLED_EVERY_S = 300;
/** The walk over the listing looks at each accepted invocation once. */
export const LOOKS_PER_CALL = 1;
