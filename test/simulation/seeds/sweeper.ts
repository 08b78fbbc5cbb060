/** The sweeper of a seed: in the process of a worker, or in a separate process without memory, as on AWS. */
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import { runSweeper, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { type Leap, SWEEP_INTERVAL_MS } from "./leap.ts";

/** The part of a pass that is for the walks; the rest is for the dead letters. */
const SWEPT_MS = 45_000;
const PASS_MS = 60_000;

export function sweepBeside(engine: Engine, leap: Leap, signal: AbortSignal): void {
  void runSweeper({ ...engine, clock: leap.clockOf(engine.clock) }, signal, SWEEP_INTERVAL_MS);
}

/** Every pass continues from the stored progress of the one before, and then tries the dead letters. */
export async function sweepApart(engine: Engine, letters: Queue, leap: Leap): Promise<never> {
  for (const pauses = leap.clockOf(engine.clock); ;) {
    await pauses.sleep(SWEEP_INTERVAL_MS);
    try {
      await sweepOnce(engine, engine.clock.nowMs() + SWEPT_MS);
      await drainDeadLetters(engine, letters, engine.clock.nowMs() + PASS_MS - SWEPT_MS);
    } catch (error) {
      engine.log.write("sweeper.pass-failed", { error: String(error) });
    }
  }
}
