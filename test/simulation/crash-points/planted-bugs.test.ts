/**
 * Tests the judge (`judge.ts`) with mistakes planted into the engine: a run without an injected fault does not show the mistake,
 * but the judge catches it when a fault strikes at a crash point.
 */
import { expect } from "vitest";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { acting } from "../../planted/acts.ts";
import { blindSweeper, foreignIds, forgottenMessages } from "../../planted/mistakes.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { withTable } from "../../planted/with-table.ts";
import { crashPoints } from "./crash-points.ts";
import { FAULTS } from "./point.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Ownership, Sabotage } from "./world.ts";

const LATE_MS = 5;
/** A handler that only other handlers call. */
const CHILD = "one";

const isSegment = ({ sk }: Item): boolean => sk.startsWith("seg#");

/** Segments are reported as written before they are durable. */
const earlyAnswers: Sabotage = (engine) =>
  withTable(engine, {
    async put(item, condition) {
      if (!isSegment(item) || item.sk === "seg#000000") return engine.table.put(item, condition);
      void engine.clock.sleep(LATE_MS).then(() => engine.table.put(item, condition));
      return acting({ written: true });
    },
  });

/** A driver that takes over skips the effects of the last segment, so the children of that segment are not accepted (I2). */
const skippedRedo: Sabotage = (engine, generation) => {
  let resumed = generation === 1;
  return {
    ...withTable(engine, {
      put: async (item, condition) =>
        item.sk === "seg#000000" && item["handler"] === CHILD && !resumed
          ? acting({ written: true })
          : engine.table.put(item, condition),
    }),
    endpoints: {
      open(request) {
        resumed = true;
        return engine.endpoints.open(request);
      },
    },
  };
};

interface Planted {
  readonly what: string;
  readonly sabotage: Sabotage;
  readonly ownership: Ownership;
  readonly scenario: string;
  /** True if the scenario itself is the fault: all hints are lost in it. */
  readonly needsNoFault?: true;
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
  {
    what: "a sweeper that finds nothing, if every hint of a sent invocation is lost",
    sabotage: blindSweeper,
    ownership: "shared-table",
    scenario: "sent before the end, hints lost",
    needsNoFault: true,
    complaint: /one \w+ is left running/,
  },
];

plantedTests(
  import.meta.filename,
  PLANTED,
  async ({ sabotage, ownership, scenario: name, needsNoFault, complaint }) => {
    const scenario = SCENARIOS.find((one) => one.name === name)!;
    const { failures } = await crashPoints(ownership, scenario, { sabotage, faults: FAULTS, failuresMax: 1 });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(complaint);
    // Other mistakes show only under a fault.
    if (needsNoFault !== true) expect(failures[0]).not.toContain("no fault");
  },
);
