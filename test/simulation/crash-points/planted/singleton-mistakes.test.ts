/** Mistakes at the door: an acceptor that is not refused, a replacement and a deadline that their invocation never gets. */
import { expect, vi } from "vitest";
import type * as Deadlines from "../../../../shared/core/invocation/deadlines.ts";
import { isVoid } from "../../../../shared/engine/store/singleton-item.ts";
import { acting } from "../../../planted/acts.ts";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { withTable } from "../../../planted/with-table.ts";
import { crashPoints } from "../crash-points.ts";
import { FAULTS, LATE_FAULTS } from "../point.ts";
import { SCENARIOS } from "../scenarios.ts";
import type { Sabotage } from "../world.ts";

const planted = vi.hoisted(() => ({ parksTooLong: false }));

/** A park does not end at the deadline. */
vi.mock("../../../../shared/core/invocation/deadlines.ts", async (original) => {
  const right = await original<typeof Deadlines>();
  const { acting: acts } = await import("../../../planted/acts.ts");
  const parkUntil: typeof right.parkUntil = (invocation, atMs, status, wakeAtMs) =>
    planted.parksTooLong && invocation.acceptance.endByMs !== undefined
      ? acts({ kind: "park", status, ...(wakeAtMs !== undefined && { wakeAtMs }) })
      : right.parkUntil(invocation, atMs, status, wakeAtMs);
  return { ...right, parkUntil };
});

/** A later request takes the place of an invocation whose acceptance is late, and does not fence it. */
const noVoid: Sabotage = (engine) =>
  withTable(engine, {
    put: async (item, condition) =>
      isVoid(item) ? acting({ written: true }) : await engine.table.put(item, condition),
  });

/** Only the acceptor tells the former invocation, and no driver after it. */
const toldOnce: Sabotage = (engine, generation) =>
  withTable(engine, {
    put: async (item, condition) =>
      generation > 1 && item.sk.endsWith("#replaced")
        ? acting({ written: true })
        : await engine.table.put(item, condition),
  });

const longParks: Sabotage = (engine) => {
  planted.parksTooLong = true;
  return engine;
};

const PLANTED = [
  {
    what: "an acceptor of a singleton that is late, and not refused",
    sabotage: noVoid,
    scenario: "singleton key, two at once",
    complaint: /doze was accepted 2 times/,
  },
  {
    what: "a replacement that only its acceptor tells",
    sabotage: toldOnce,
    scenario: "singleton key, replaced while it sleeps",
    complaint: /1800000/,
  },
  {
    what: "a park that lasts longer than the deadline",
    sabotage: longParks,
    scenario: "end within two seconds",
    // The sweeper finds it all the same, and too late.
    complaint: /until all was quiet/,
  },
];

plantedTests(import.meta.filename, PLANTED, async ({ sabotage, scenario: name, complaint }) => {
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const faults = [...FAULTS, ...LATE_FAULTS];
  try {
    const { failures } = await crashPoints("shared-table", scenario, { sabotage, faults, failuresMax: 1 });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(complaint);
  } finally {
    planted.parksTooLong = false;
  }
});
