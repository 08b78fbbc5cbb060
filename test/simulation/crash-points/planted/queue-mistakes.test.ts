/** A mistake in a function of the engine: only the invocation with the first ticket of a queue looks at the holder of the key. */
import { expect, vi } from "vitest";
import type * as Acquire from "../../../../shared/engine/lock/acquire.ts";
import { GAPS, getsItsKey } from "../../../engine/races/gaps-in-line.ts";
import { stages } from "../../../harness/engine/stages.ts";
import { plantedTests } from "../../../planted/planted-tests.ts";

/** An invocation behind a void ticket, an edit, or a ticket that was never written, does not look at the holder (I8). */
vi.mock("../../../../shared/engine/lock/acquire.ts", async (original) => {
  const right = await original<typeof Acquire>();
  const { acting } = await import("../../../planted/acts.ts");
  const lookIfStale: typeof right.lookIfStale = async (engine, pk, target, at) =>
    at.ticket === at.lock.head + 1 ? await right.lookIfStale(engine, pk, target, at) : acting(undefined);
  return { ...right, lookIfStale };
});

const open = stages();
const PLANTED = [{ what: "an invocation behind a void ticket does not look at the holder" }];

plantedTests(import.meta.filename, PLANTED, async () => {
  const [, makeGap] = GAPS.find(([gap]) => gap === "a void ticket")!;
  await expect(getsItsKey(open, makeGap)).rejects.toThrow(/status: 'completed'/);
});
