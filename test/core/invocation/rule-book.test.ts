import { describe, expect, test } from "vitest";
import { advance, RULES } from "../../../shared/core/invocation/advance.ts";
import type { Event } from "../../../shared/core/invocation/event.ts";
import type { Status } from "../../../shared/core/invocation/invocation.ts";
import { attemptEnded, attemptGrew, invocationIn, poll, NOW_MS, output } from "./sample-invocation.ts";

const EVENTS: Readonly<Record<Event["kind"], Event>> = {
  poll: poll(),
  "attempt-grew": attemptGrew({ entries: [output()] }),
  "attempt-ended": attemptEnded({ kind: "ended" }, { entries: [output()] }),
  kill: { kind: "kill", atMs: NOW_MS },
};

/** The result of each cell for an event without special content. */
const CELLS: Readonly<Record<Event["kind"], Readonly<Record<Status, string>>>> = {
  poll: {
    scheduled: "park scheduled",
    pending: "acquire",
    ready: "attempt",
    running: "attempt",
    "backing-off": "park backing-off",
    suspended: "park suspended",
    paused: "park paused",
    completed: "end",
  },
  "attempt-grew": {
    scheduled: "ignore",
    pending: "ignore",
    ready: "ignore",
    running: "segment, read-on",
    "backing-off": "ignore",
    suspended: "ignore",
    paused: "ignore",
    completed: "ignore",
  },
  "attempt-ended": {
    scheduled: "ignore",
    pending: "ignore",
    ready: "ignore",
    running: "segment, end",
    "backing-off": "ignore",
    suspended: "ignore",
    paused: "ignore",
    completed: "ignore",
  },
  kill: {
    scheduled: "segment, end",
    pending: "segment, end",
    ready: "segment, end",
    running: "segment, end",
    "backing-off": "segment, end",
    suspended: "segment, end",
    paused: "segment, end",
    completed: "ignore",
  },
};

const cells = Object.entries(RULES).flatMap(([event, statuses]) =>
  Object.keys(statuses).map((status) => ({ event: event as Event["kind"], status: status as Status })),
);

describe("the rule book", () => {
  test("has a cell for every status under every event", () => {
    expect(cells).toHaveLength(4 * 8);
  });

  test.each(cells)("answers $event while $status", ({ event, status }) => {
    const { segment, step } = advance(invocationIn(status), EVENTS[event]);
    const stepText = step.kind === "park" ? `park ${step.status}` : step.kind;
    expect(segment === undefined ? stepText : `segment, ${stepText}`).toBe(CELLS[event][status]);
  });

  const ignored = cells.filter(({ event, status }) => CELLS[event][status] === "ignore");
  test.each(ignored)("$event while $status is ignored with a reason, and changes nothing", ({ event, status }) => {
    const invocation = invocationIn(status);
    const { next, segment, failure, step } = advance(invocation, EVENTS[event]);
    expect(next).toBe(invocation);
    expect(segment).toBeUndefined();
    expect(failure).toBeUndefined();
    expect(step.kind === "ignore" && step.why).toMatch(/\w+ \w+/);
  });

  test("no event changes a completed invocation", () => {
    const invocation = invocationIn("completed");
    for (const event of Object.values(EVENTS)) {
      const { next, segment } = advance(invocation, event);
      expect(next).toBe(invocation);
      expect(segment).toBeUndefined();
    }
  });
});
