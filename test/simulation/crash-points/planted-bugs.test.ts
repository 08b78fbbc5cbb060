/**
 * Tests the judge (`judge.ts`) with mistakes planted into the engine: a run without an injected fault does not show the mistake,
 * but the judge catches it when a fault strikes at a crash point.
 */
import { expect, test } from "vitest";
import type { Item, Table } from "../../../shared/engine/ports/table.ts";
import { crashPoints } from "./crash-points.ts";
import { FAULTS } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Ownership, Sabotage } from "./world.ts";

const LATE_MS = 5;
/** A handler that only other handlers call. */
const CHILD = "one";

const isSegment = ({ sk }: Item): boolean => sk.startsWith("seg#");

function withPut(table: Table, put: Table["put"]): Table {
  const { get, getMany, query, queryIndex, partitions, update, delete: remove, transact } = table;
  return { get, getMany, query, queryIndex, partitions, update, delete: remove, transact, put };
}

/** Segments are reported as written before they are durable. */
const earlyAnswers: Sabotage = (engine) => ({
  ...engine,
  table: withPut(engine.table, async (item, condition) => {
    if (!isSegment(item) || item.sk === "seg#000000") return engine.table.put(item, condition);
    void engine.clock.sleep(LATE_MS).then(() => engine.table.put(item, condition));
    return { written: true };
  }),
});

/** A driver that takes over skips the effects of the last segment, so the children of that segment are not accepted (I2). */
const skippedRedo: Sabotage = (engine, generation) => {
  let resumed = generation === 1;
  return {
    ...engine,
    endpoints: {
      open(request) {
        resumed = true;
        return engine.endpoints.open(request);
      },
    },
    table: withPut(engine.table, async (item, condition) =>
      item.sk === "seg#000000" && item["handler"] === CHILD && !resumed
        ? { written: true }
        : engine.table.put(item, condition),
    ),
  };
};

/** Each process derives different ids, so a repeated key does not find the invocation (I7). */
const foreignIds: Sabotage = (engine, generation) => ({
  ...engine,
  ids: {
    random: (size) => engine.ids.random(size),
    derive: (parts, size) => engine.ids.derive([...parts, String(generation)], size),
  },
});

/** A message is gone as soon as it is received, and the sweeper finds nothing. */
const forgottenMessages: Sabotage = (engine) => ({
  ...engine,
  queue: {
    send: (wake) => engine.queue.send(wake),
    recall: (ticket) => engine.queue.recall(ticket),
    extend: (receipt, visibilityMs) => engine.queue.extend(receipt, visibilityMs),
    ack: (receipt) => engine.queue.ack(receipt),
    async receive(limit, visibilityMs, waitMs, signal) {
      const deliveries = await engine.queue.receive(limit, visibilityMs, waitMs, signal);
      for (const { receipt } of deliveries) await engine.queue.ack(receipt);
      return deliveries;
    },
  },
  table: { ...withPut(engine.table, engine.table.put), queryIndex: async () => ({ items: [] }) },
});

/** The sweeper and the recovery find nothing. */
const blindSweeper: Sabotage = (engine) => ({
  ...engine,
  table: { ...withPut(engine.table, engine.table.put), queryIndex: async () => ({ items: [] }) },
});

interface Planted {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly ownership: Ownership;
  readonly scenario: string;
  /** The complaint that the judge must make. */
  readonly complaint: RegExp;
}

const PLANTED: readonly Planted[] = [
  {
    what: "segments that are reported as written before they are durable",
    sabotage: earlyAnswers,
    ownership: "shared-table",
    scenario: "five runs",
    complaint: /a client was told .*, and the journal says/,
  },
  {
    what: "a redo that skips the effects of a call",
    sabotage: skippedRedo,
    ownership: "sole-owner",
    scenario: "call of a child",
    complaint: /one was accepted 0 times/,
  },
  {
    what: "a redo that skips the effects of a send",
    sabotage: skippedRedo,
    ownership: "shared-table",
    scenario: "send",
    complaint: /one was accepted 0 times/,
  },
  {
    what: "ids that are not derived from the key alone",
    sabotage: foreignIds,
    ownership: "sole-owner",
    scenario: "idempotency key twice",
    complaint: /five was accepted 2 times/,
  },
  {
    what: "messages that are lost with the worker that received them, while the sweeper finds nothing",
    sabotage: forgottenMessages,
    ownership: "shared-table",
    scenario: "send",
    complaint: /one \w+ is left ready/,
  },
];

test.each(PLANTED)("the judge catches $what", async ({ sabotage, ownership, scenario: name, complaint }) => {
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const { failures } = await crashPoints(ownership, scenario, { sabotage, faults: FAULTS, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(complaint);
  // The mistake shows only under a fault.
  expect(failures[0]).not.toContain("no fault");
});

test("the judge catches a sweeper that finds nothing, if every hint of a sent invocation is lost", async () => {
  const scenario = SCENARIOS.find(({ name }) => name === "sent before the end, hints lost")!;
  const { failures } = await crashPoints("shared-table", scenario, { sabotage: blindSweeper, failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/one \w+ is left running/);
});
