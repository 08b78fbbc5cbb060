/** What the sweeper can do: from requests that are counted, and from times of a processor that were measured once (`test/dynamodb/sweeper-capacity.test.ts`). */

/** The sweeper works for so many seconds of each interval between its calls. */
export const WORKS_FOR_S = 225;
export const CALLED_EVERY_S = 300;
/** The walk over the listing looks at each accepted invocation once. */
export const LOOKS_PER_CALL = 1;

/** Of one entry of the listing: two of three ended at their first attempt, and the others are read one by one. */
export const LOOK = { requests: 0.4, cpuMs: 0.8 } as const;
/** With the look that comes at the same time. */
export const EXTENSION = { requests: 7, cpuMs: 3 } as const;

/** Of a function of 512 MB: Lambda gives a whole one at 1,769 MB. */
export const PROCESSOR_SHARE = 512 / 1769;

export const LOOKS_PER_S = Math.floor((1000 * PROCESSOR_SHARE) / LOOK.cpuMs / 10) * 10;
