/** The rule book, which decides what an event does to an invocation: pure, and total over all statuses and events. */
import { attemptEnded, attemptGrew } from "./attempt-ended.ts";
import type { AttemptEnded, AttemptGrew, Event } from "./event.ts";
import type { Invocation, Status } from "./invocation.ts";
import { kill, poll } from "./poll.ts";
import { ignore, type Transition } from "./transition.ts";

type Rule<E extends Event> = (invocation: Invocation, event: E) => Transition;
type Rules = { readonly [K in Event["kind"]]: Readonly<Record<Status, Rule<Extract<Event, { kind: K }>>>> };

const unheld =
  (status: string): Rule<AttemptEnded | AttemptGrew> =>
  (invocation) =>
    ignore(invocation, `no attempt is open while it is ${status}: the answer comes from a driver that lost its lease`);

const ended = (invocation: Invocation): Transition => ignore(invocation, "it has ended already");

/** One rule per status and event. A new status or event without a rule does not compile. */
export const RULES: Rules = {
  poll: {
    scheduled: poll,
    pending: poll,
    ready: poll,
    running: poll,
    "backing-off": poll,
    suspended: poll,
    paused: poll,
    completed: poll,
  },
  "attempt-grew": {
    scheduled: unheld("scheduled"),
    pending: unheld("pending"),
    ready: unheld("ready"),
    running: attemptGrew,
    "backing-off": unheld("backing off"),
    suspended: unheld("suspended"),
    paused: unheld("paused"),
    completed: ended,
  },
  "attempt-ended": {
    scheduled: unheld("scheduled"),
    pending: unheld("pending"),
    ready: unheld("ready"),
    running: attemptEnded,
    "backing-off": unheld("backing off"),
    suspended: unheld("suspended"),
    paused: unheld("paused"),
    completed: ended,
  },
  kill: {
    scheduled: kill,
    pending: kill,
    ready: kill,
    running: kill,
    "backing-off": kill,
    suspended: kill,
    paused: kill,
    completed: ended,
  },
};

/** Applies the rule for the event. Time and ids are part of the event. */
export function advance(invocation: Invocation, event: Event): Transition {
  const { status } = invocation.phase;
  switch (event.kind) {
    case "poll":
      return RULES.poll[status](invocation, event);
    case "attempt-grew":
      return RULES["attempt-grew"][status](invocation, event);
    case "attempt-ended":
      return RULES["attempt-ended"][status](invocation, event);
    case "kill":
      return RULES.kill[status](invocation, event);
  }
}
