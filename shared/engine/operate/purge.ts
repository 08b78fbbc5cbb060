/** Forgetting what has ended: by an operator's order, or because the retention of its journal is over. */
import type { InvocationId } from "../../core/model/ids.ts";
import { wipeWorkflow } from "../lock/close-workflow.ts";
import { answerSinks } from "../effects/attach-sink.ts";
import { dropAll, dropJournal } from "./drop-journal.ts";
import type { Engine } from "../engine.ts";
import { finishBeforeForgetting, activeWithoutDriver } from "../recover/finish-completed.ts";
import { journalDropAtMs, leaveOpenIndex } from "../lease/lease.ts";
import { hasExpired, load, type Loaded, unperformed } from "../store/load.ts";
import type { Purging } from "../ports/submission.ts";

/** The id is free afterwards: another life may begin under it, and after the run of a workflow another run of its key. */
export async function purge(engine: Engine, id: InvocationId): Promise<Purging> {
  return await forget(engine, id, async (_, loaded) => {
    const { phase } = loaded.invocation;
    // Who attached to what had ended counts on a wake, which may be lost; here it would come too late (I8).
    if (phase.status === "completed") await answerSinks(engine, activeWithoutDriver(loaded), phase.result);
    await wipeWorkflow(engine, loaded.invocation);
    return await dropAll(engine, loaded);
  });
}

/** Status and result stay for as long as they are kept. */
export async function purgeJournal(engine: Engine, id: InvocationId): Promise<Purging> {
  return await forget(engine, id, dropJournal);
}

async function forget(
  engine: Engine,
  id: InvocationId,
  drop: (engine: Engine, loaded: Loaded) => Promise<boolean>,
): Promise<Purging> {
  for (;;) {
    const loaded = await load(engine, id);
    if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
    if (loaded.invocation.phase.status !== "completed") return "open";
    await finishBeforeForgetting(engine, loaded);
    if (await drop(engine, loaded)) return "done";
  }
}

/** For the sweeper: drops the journal when its time has come, and sees to it that somebody looks again where it has not. */
export async function forgetInTime(engine: Engine, loaded: Loaded): Promise<void> {
  const dropAtMs = journalDropAtMs(loaded.invocation);
  if (dropAtMs === undefined) return await leaveOpenIndex(engine, activeWithoutDriver(loaded), { forGood: true });
  const isPerformed = unperformed(loaded) === undefined;
  if (dropAtMs > engine.clock.nowMs())
    return await leaveOpenIndex(engine, activeWithoutDriver(loaded), { isPerformed });
  await finishBeforeForgetting(engine, loaded);
  if (await dropJournal(engine, loaded)) await leaveOpenIndex(engine, activeWithoutDriver(loaded), { forGood: true });
}
