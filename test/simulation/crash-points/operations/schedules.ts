/** Schedules: their ticks, ticks that wait for each other, and orders of operators. */
import type { SchedulePlan } from "../../../../shared/core/schedules/schedule.ts";
import {
  pauseSchedule,
  putSchedule,
  removeSchedule,
  resumeSchedule,
  triggerSchedule,
} from "../../../../shared/engine/schedules/change-schedules.ts";
import { schedulePlan } from "../../../harness/engine/schedule-plan.ts";
import type { Client } from "../client.ts";
import { CHANGES, type Scenario } from "../scenarios.ts";

const SECOND_MS = 1_000;
const NAPPED = '["<before>","<after>"]';

const every = (ms: number, given: Partial<SchedulePlan>): SchedulePlan =>
  schedulePlan({
    target: { service: "Sim", handler: "one" },
    input: new Uint8Array(0),
    headers: [],
    timing: { kind: "interval", everyMs: ms },
    ...given,
  });

const put = (client: Client, plan: SchedulePlan) => client.ask(true, (engine) => putSchedule(engine, plan));

export const SCHEDULES: readonly Scenario[] = [
  {
    name: "three ticks of a schedule",
    play: (client) => put(client, every(2 * SECOND_MS, { count: 3 })),
    expected: { one: { count: [3, 3], outcomes: ['"<r1>"'] } },
  },
  {
    name: "ticks that wait for each other",
    play: (client) =>
      put(
        client,
        every(SECOND_MS, {
          target: { service: "Sim", handler: "nap" },
          input: new TextEncoder().encode("1500"),
          headers: [{ key: "content-type", value: "application/json" }],
          overlap: "buffer-all",
          count: 3,
        }),
      ),
    expected: { nap: { count: [3, 3], outcomes: [NAPPED] } },
    at: CHANGES,
  },
  {
    name: "a schedule is paused, triggered, resumed and removed",
    async play(client) {
      // The next moment is an hour away, so only triggers run.
      await put(client, every(3_600 * SECOND_MS, {}));
      await client.ask(true, (engine) => pauseSchedule(engine, "nightly", { note: "for now" }));
      for (const request of ["a", "b"]) await client.ask(true, (engine) => triggerSchedule(engine, "nightly", request));
      await client.ask(true, (engine) => resumeSchedule(engine, "nightly"));
      await client.ask(true, (engine) => removeSchedule(engine, "nightly"));
    },
    expected: { one: { count: [2, 2], outcomes: ['"<r1>"'] } },
    at: CHANGES,
  },
];
