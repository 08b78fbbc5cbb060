/** The seeds catch a mistake in a function of the engine: a takeover that does not redo what its predecessor left undone. */
import { vi } from "vitest";
import type * as Load from "../../../shared/engine/store/load.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { run } from "./run.ts";
import { expectCaught, seedsToTry } from "./seeds-to-try.ts";

/** A driver that takes over does not redo the effects of the last segment, unless the segment completes the invocation (I2). */
vi.mock("../../../shared/engine/store/load.ts", async (original) => {
  const right = await original<typeof Load>();
  const { acting } = await import("../../planted/acts.ts");
  const unperformed: typeof right.unperformed = (loaded) => {
    const left = right.unperformed(loaded);
    return left === undefined || loaded.invocation.phase.status === "completed" ? left : acting(undefined);
  };
  return { ...right, unperformed };
});

const WITHIN_SEEDS = 200;

plantedTests(
  import.meta.filename,
  [{ what: "a takeover without the last effects", first: 12 }],
  async ({ what, first }) => {
    const complaintsOf = async (seed: number) => (await run({ seed })).complaints;
    await expectCaught(what, seedsToTry(first, WITHIN_SEEDS), /\(I2\)/, complaintsOf);
  },
);
