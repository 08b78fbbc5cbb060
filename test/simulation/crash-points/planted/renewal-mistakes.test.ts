/** A mistake at the end of a drive, which shows if a renewal of the lease comes late. */
import { expect, vi } from "vitest";
import type * as OpenIndex from "../../../../shared/engine/lease/release.ts";
import { plantedTests } from "../../../planted/planted-tests.ts";
import { crashPoints } from "../crash-points.ts";
import { SCENARIOS } from "../scenarios.ts";

/** An end does not wait for a renewal that is under way, which then puts the ended invocation into the open index. */
vi.mock("../../../../shared/engine/lease/release.ts", async (original) => {
  const right = await original<typeof OpenIndex>();
  const { acting } = await import("../../../planted/acts.ts");
  const leaveOpenIndex: typeof right.leaveOpenIndex = async (engine, invocation, lease, how) => {
    if (lease.renewal !== undefined) Object.defineProperty(lease, "renewal", { value: acting(undefined) });
    await right.leaveOpenIndex(engine, invocation, lease, how);
  };
  return { ...right, leaveOpenIndex };
});

plantedTests(import.meta.filename, [{ what: "an end that does not wait for a renewal" }], async () => {
  const scenario = SCENARIOS.find(({ name }) => name === "retries for longer than half a lease")!;
  const { failures } = await crashPoints("shared-table", scenario, { faults: ["slow"], failuresMax: 1 });
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/hold#.*slow: it took \d+ s until all was quiet/);
});
