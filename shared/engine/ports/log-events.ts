/** The table of all events of the log: name, level, sentence and remedy. */
import { INVOCATION_EVENTS } from "./invocation-events.ts";
import { PROCESS_EVENTS } from "./process-events.ts";
import { SWEEPER_EVENTS } from "./sweeper-events.ts";

/** A name is a noun, a dot and what happened. Names stay stable: alarms, scripts and the documentation refer to them. */
export const LOG_EVENTS = { ...INVOCATION_EVENTS, ...SWEEPER_EVENTS, ...PROCESS_EVENTS } as const;

export type LogEvent = keyof typeof LOG_EVENTS;

export const LOG_EVENT_NAMES = Object.keys(LOG_EVENTS) as readonly LogEvent[];
