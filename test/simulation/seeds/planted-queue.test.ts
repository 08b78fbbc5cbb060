/** The seeds catch a mistake in a function of the engine: only the invocation with the first ticket of a queue looks at the holder. */
import { vi } from "vitest";
import type * as Acquire from "../../../shared/engine/lock/acquire.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { run } from "./run.ts";
import { expectCaught } from "./seeds-to-try.ts";

/** An invocation behind a void ticket, an edit, or a ticket that was never written, does not look at the holder (I8). */
vi.mock("../../../shared/engine/lock/acquire.ts", async (original) => {
  const right = await original<typeof Acquire>();
  const { acting } = await import("../../planted/acts.ts");
  const lookIfStale: typeof right.lookIfStale = async (engine, pk, target, at) =>
    at.ticket === at.lock.head + 1 ? await right.lookIfStale(engine, pk, target, at) : acting(undefined);
  return { ...right, lookIfStale };
});

/** Two faults have to meet: a late take for a life that is gone, and a ticket that is drawn and never written. */
const SEED = 100_632;

plantedTests(
  import.meta.filename,
  [{ what: "an invocation behind a void ticket does not look at the holder" }],
  async ({ what }) => {
    await expectCaught(what, [SEED], /is left ready/, async (seed) => (await run({ seed })).complaints);
  },
);
