/** Redoes the final effects of a completed invocation: its driver may have died before it performed them (I2). */
import type { Entry } from "../../core/invocation/entry.ts";
import type { Command } from "../../core/protocol/commands.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { keepArrivals } from "../lease/extend.ts";
import { leaveOpenIndex } from "../lease/release.ts";
import { leaveAllPools } from "../limits/pools.ts";
import { giveBack } from "../lock/give-back.ts";
import { isLeftUndone } from "./left-undone.ts";
import { type Loaded, unperformed } from "../store/load.ts";
import { perform } from "../effects/perform.ts";
import { performerOf } from "../effects/performer.ts";
import { eraseUnstarted } from "../lease/erase-unstarted.ts";

/**
 * The target of an effect may expire two days after the end. The bound is half a day shorter, because performing takes time
 * and the clocks of two processes differ.
 */
const REDO_MAX_MS = 1.5 * DAY_MS;

/**
 * Redoes the final effects: a caller or a sink may not have the result yet (I2), even if the result has expired. If the lease
 * record shows that the effects were performed, the redo only delivers the result again: to sinks that attached since, and to
 * a caller whose driver had the result only in memory.
 * @param isSeenDone true if the caller has checked that no effect is missing (`isLeftUndone`)
 */
export async function finishCompleted(engine: Engine, loaded: Loaded, isSeenDone = false): Promise<void> {
  const { last } = loaded;
  if (last === undefined) return;
  // A purge wrote this tombstone, after performing the effects; it has no result to deliver.
  if (last.segment.endAlone && isTombstone(last.segment)) return await passKeyOn(engine, loaded);
  const isPerformed = unperformed(loaded) === undefined;
  const mayRunAnew = !isPerformed && hasExpiredEffects(engine, loaded);
  const segment = isPerformed || mayRunAnew || isSeenDone ? tellingOnly(last.segment, mayRunAnew) : last.segment;
  await redo(engine, loaded, segment);
}

/** @param segment the final segment, or the part of it that is to be performed again */
async function redo(engine: Engine, loaded: Loaded, segment: Segment): Promise<void> {
  const { last, leaseRecord } = loaded;
  const performer = performerOf(loaded);
  const { invocation, lease } = performer;
  await perform(engine, performer, last!.before, segment, { isRedo: true });
  await leaveAllPools(engine, invocation.acceptance, leaseRecord?.waitsAt);
  // Requests of this process that wait for the end of a keyed handler also wait for its state, which is written now.
  engine.activeInvocations.notify(invocation.acceptance.id);
  // Also after a performed end: a late sender may have written an arrival that its wake leads to.
  await eraseUnstarted(engine, invocation);
  if (unperformed(loaded) === undefined) return;
  await keepArrivals(engine, invocation);
  if (leaseRecord !== undefined) await leaveOpenIndex(engine, invocation, lease);
}

/**
 * Redoes the final effects before the journal is dropped. More than a day after the end, only the state of a key is written that
 * was never given back, because the journal is the only place that has it. No other effect is redone then: its target may have
 * expired, and the redo would make it again. Effects that were performed are not redone either, because the target id may have
 * begun another life.
 */
export async function finishBeforeForgetting(engine: Engine, loaded: Loaded): Promise<void> {
  const { phase } = loaded.invocation;
  if (phase.status !== "completed" || unperformed(loaded) === undefined) return;
  const isUndone = await isLeftUndone(engine, loaded);
  const isRecent = engine.clock.nowMs() - phase.endedAtMs < DAY_MS;
  if (isRecent) return await finishCompleted(engine, loaded, !isUndone);
  if (isUndone) await redo(engine, loaded, tellingOnly(loaded.last!.segment, true));
}

/**
 * An invocation that drew two tickets is granted the key once more after its end. Only this function can pass the key
 * on then (I6).
 */
async function passKeyOn(engine: Engine, loaded: Loaded): Promise<void> {
  const { acceptance, segmentIndex } = loaded.invocation;
  if (acceptance.handlerType !== "exclusive") return;
  await giveBack(engine, performerOf(loaded), { inOrder: [], segmentIndex, grant: undefined });
}

function isTombstone({ after }: Segment): boolean {
  return after.kind === "completed" && after.tombstone;
}

/**
 * The target of a final effect may expire two days after the end, and a redo would make the target again: a send would run
 * twice. So the effects of an older end count as performed, even if no lease record says so: an invocation that never parked
 * has no lease record. If the open index still shows the invocation as not completed, its driver has died; its effects are
 * redone at any age, because a table may be restored after days.
 */
function hasExpiredEffects({ clock }: Engine, { invocation: { phase }, leaseRecord }: Loaded): boolean {
  if (leaseRecord?.lookAtMs !== undefined && leaseRecord.status !== "completed") return false;
  return phase.status === "completed" && clock.nowMs() - phase.endedAtMs >= REDO_MAX_MS;
}

/**
 * The segment without the commands that start invocations, and without the order to kill calls.
 * @param keepsRest true if the other commands stay, however late they come: the lock ignores changes of state under an older grant,
 *   and an addressee takes a signal once
 */
function tellingOnly(segment: Segment, keepsRest: boolean): Segment {
  const entries = keepsRest ? segment.entries.filter(makesNothing) : [];
  const { after } = segment;
  return { ...segment, entries, after: after.kind === "completed" ? { ...after, killed: false } : after };
}

const MAKES_NOTHING: ReadonlySet<Command["kind"]> = new Set(["change-state", "signal", "complete-awakeable"]);

function makesNothing(entry: Entry): boolean {
  return entry.kind === "command" && MAKES_NOTHING.has(entry.command.kind);
}
