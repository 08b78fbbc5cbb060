/** Forgets completed invocations: by an operator's order, or because the retention of the journal is over. */
import type { InvocationId } from "../../core/model/ids.ts";
import { wipeWorkflow } from "../lock/close-workflow.ts";
import { answerSinks } from "../effects/attach-sink.ts";
import { dropAll, dropJournal } from "./drop-journal.ts";
import { eraseRemains, isPurged } from "./erase-remains.ts";
import type { Engine } from "../engine.ts";
import { finishBeforeForgetting } from "../recover/finish-completed.ts";
import { journalDropAtMs, leaveOpenIndex } from "../lease/leave-open-index.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import { hasExpired, type Loaded, unperformed } from "../store/load.ts";
import { loadHeads } from "../store/operator-loads.ts";
import type { Purging } from "../ports/submission.ts";

/**
 * Frees the id: another life may begin under it. For a workflow, that is another run. A result that has expired, an end before the
 * first attempt and the remains of former lives are purged as long as the table has anything of them.
 */
export async function purge(engine: Engine, id: InvocationId): Promise<Purging> {
  const purging = await forget(engine, id, isPurged, async (_, loaded) => {
    const { acceptance, phase } = loaded.invocation;
    // Another invocation may attach after the end of this one: it stores a sink here, and then wakes this invocation, so that the
    // sink is answered. That wake may come only after the purge, so the purge itself answers the sinks (I8).
    if (phase.status === "completed") await answerSinks(engine, acceptance, phase.result);
    await wipeWorkflow(engine, loaded.invocation);
    return await dropAll(engine, loaded);
  });
  if (purging === "open") return purging;
  return (await eraseRemains(engine, id)) ? "done" : purging;
}

/** Drops the journal alone: status and result stay for their retention. */
export async function purgeJournal(engine: Engine, id: InvocationId): Promise<Purging> {
  const isGone = (loaded: Loaded): boolean => hasExpired(loaded, engine.clock.nowMs());
  return await forget(engine, id, isGone, dropJournal);
}

/** @param isGone true for an invocation of which nothing is left to forget */
async function forget(
  engine: Engine,
  id: InvocationId,
  isGone: (loaded: Loaded) => boolean,
  drop: (engine: Engine, loaded: Loaded) => Promise<boolean>,
): Promise<Purging> {
  for (;;) {
    const loaded = await loadHeads(engine, id);
    if (loaded === undefined || isGone(loaded)) return "unknown";
    if (loaded.invocation.phase.status !== "completed") return "open";
    await finishBeforeForgetting(engine, loaded);
    if (await drop(engine, loaded)) return "done";
  }
}

/**
 * For the sweeper: drops the journal if its retention is over; else keeps an entry in the open index, for a look at the end
 * of the retention.
 */
export async function forgetInTime(engine: Engine, loaded: Loaded): Promise<void> {
  const { invocation } = loaded;
  const lease = new LeaseHandle(loaded.lease, loaded.leaseRecord);
  const dropAtMs = journalDropAtMs(invocation);
  if (dropAtMs === undefined) return await leaveOpenIndex(engine, invocation, lease, { forGood: true });
  const isPerformed = unperformed(loaded) === undefined;
  if (dropAtMs > engine.clock.nowMs()) return await leaveOpenIndex(engine, invocation, lease, { isPerformed });
  await finishBeforeForgetting(engine, loaded);
  if (await dropJournal(engine, loaded)) await leaveOpenIndex(engine, invocation, lease, { forGood: true });
}
