/** Tests the faults: each planted mistake passes a run without faults, and a run with the faults listed beside it catches it. */
import { expect, test } from "vitest";
import type { Table, Updated, Written } from "../../../shared/engine/ports/table.ts";
import { crashPoints } from "./crash-points.ts";
import { DAY_LATE, type Fault, NEVER_FIRES, REPEATED, THROTTLED } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Sabotage } from "./world.ts";

function withTable(table: Table, change: Partial<Table>): Table {
  return { ...table, ...change };
}

/** A driver does not recognise its own lease record if the answer to its write was lost, and the repeated write is refused. */
const unknownHold: Sabotage = (engine) => {
  const { table } = engine;
  const ofAnother = <Outcome extends Written | Updated>(sk: string, outcome: Outcome): Outcome => {
    if (outcome.written || outcome.existing === undefined || !sk.startsWith("hold#")) return outcome;
    return { ...outcome, existing: { ...outcome.existing, token: "another driver" } };
  };
  return {
    ...engine,
    table: withTable(table, {
      put: async (item, condition) => ofAnother(item.sk, await table.put(item, condition)),
      update: async (key, update, condition) => ofAnother(key.sk, await table.update(key, update, condition)),
    }),
  };
};

/** A refused schedule counts as set. */
const unsetSchedules: Sabotage = (engine) => ({
  ...engine,
  timers: {
    at: (timer) => engine.timers.at(timer).catch(() => undefined),
    cancel: (name) => engine.timers.cancel(name),
  },
});

/** The sweeper finds no sleepers, as if schedules were reliable. */
const unseenSleepers: Sabotage = (engine) => {
  const { table } = engine;
  const queryIndex: Table["queryIndex"] = async (index, pk, range) => {
    const page = await table.queryIndex(index, pk, range);
    return { ...page, items: page.items.filter(({ wakeAtMs }) => wakeAtMs === undefined) };
  };
  return { ...engine, table: withTable(table, { queryIndex }) };
};

/** A message for a later moment is postponed until then, although the invocation has work. */
const trustedMoments: Sabotage = (engine) => {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    const isLater = ({ wake }: (typeof deliveries)[number]) => (wake.wakeAtMs ?? 0) > engine.clock.nowMs();
    for (const delivery of deliveries.filter(isLater)) {
      await queue.send({ ...delivery.wake, delayMs: 900_000 });
      await queue.ack(delivery.receipt);
    }
    return deliveries.filter((delivery) => !isLater(delivery));
  };
  return { ...engine, queue: { ...queue, receive } };
};

const PLANTED: readonly {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly faults: readonly Fault[];
  readonly scenario: string;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}[] = [
  {
    what: "a lease record that its writer does not recognise",
    sabotage: unknownHold,
    faults: [REPEATED],
    scenario: "far sleep by a timer",
    complaint: /until all was quiet/,
  },
  {
    what: "a refused schedule that counts as set",
    sabotage: unsetSchedules,
    faults: [THROTTLED],
    scenario: "far sleep by a timer",
    complaint: /until all was quiet/,
  },
  {
    what: "a sweeper that does not see sleepers",
    sabotage: unseenSleepers,
    faults: [NEVER_FIRES],
    scenario: "far sleep by a timer",
    complaint: /nap \w+ is left suspended/,
  },
  {
    what: "a worker that trusts the moment in a message",
    sabotage: trustedMoments,
    faults: [DAY_LATE],
    scenario: "send",
    complaint: /something is left to do/,
  },
];

test.each(PLANTED)("$what is caught", async ({ sabotage, faults, scenario: name, complaint }) => {
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const { failures } = await crashPoints("shared-table", scenario, { sabotage, faults, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
  // The mistake shows only under the fault.
  expect(failures[0]).not.toContain("no fault");
});
