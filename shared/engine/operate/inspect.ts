/** The view of one invocation for operators: status, attempts, failures and journal. */
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import { type Invocation, hasJournal } from "../../core/invocation/invocation.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { entryMoments, storedAttempts } from "../../core/invocation/segment-moments.ts";
import { entryViews } from "./entry-view.ts";
import { readFailures, runsOf } from "../drive/failure-events.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { knownNow } from "./known-now.ts";
import { type Loaded, hasExpired, isLeased } from "../store/load.ts";
import { loadWithMoments } from "../store/recorder.ts";
import { EDITOR } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import type { InvocationView, QueueView, AttemptView, EntryChoice, UsageView } from "../ports/submission.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";

/** @returns undefined if there is no such invocation, or if it has expired */
export async function inspect(engine: Engine, id: InvocationId): Promise<InvocationView | undefined> {
  const loaded = await loadWithMoments(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return undefined;
  return await viewOf(engine, loaded);
}

/**
 * The view from one load of the invocation, with the failure events and the queue beside it.
 * @param choice the entries that the view contains
 */
export async function viewOf(engine: Engine, loaded: Loaded, choice: EntryChoice = {}): Promise<InvocationView> {
  const { id } = loaded.invocation.acceptance;
  const driven = engine.activeInvocations.find(id);
  // Status and journal are taken at one moment, before the reads below, because a driver may end the invocation during them.
  const invocation = knownNow(engine, loaded);
  const status = presentedStatus(engine, loaded);
  const { acceptance, phase, journal, lastFailure, pin } = invocation;
  const { source, idempotencyKey, createdBy, traceparent, completionRetentionMs, journalRetentionMs } = acceptance;
  const { limitKey, priority, startByMs, endByMs, singleton } = acceptance;
  const aside = await readFailures(engine, loaded.pk, acceptance.nonce);
  const queue = await queueOf(engine, loaded);
  const outcome = endOutcome(invocation, loaded.isCancelled);
  const kept = hasJournal(invocation, engine.clock.nowMs());
  const events = runsOf(loaded, aside, invocation);
  const attemptsStored = storedAttempts(loaded.moments ?? []);
  const usage = usageOf(loaded, attemptsStored, aside);
  return {
    id,
    target: acceptance.target,
    status,
    createdAtMs: acceptance.createdAtMs,
    modifiedAtMs: invocation.modifiedAtMs,
    attempts: Math.max(invocation.attempts, ...events.map(({ attempt = 0, last }) => last?.attempt ?? attempt)),
    completionRetentionMs,
    journalRetentionMs,
    entryCount: kept ? journal.entries.length : 0,
    entries: kept ? entryViews(journal, momentsOf(loaded, invocation), acceptance.input, choice) : [],
    attemptsStored: kept ? attemptsStored : [],
    events: kept ? events : [],
    ...(traceparent !== undefined && { traceparent }),
    ...(usage && { usage }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(limitKey !== undefined && { limitKey }),
    ...(createdBy !== undefined && { createdBy }),
    ...(priority !== undefined && { priority }),
    ...(startByMs !== undefined && { startByMs }),
    ...(endByMs !== undefined && { endByMs }),
    ...(singleton && { singletonKey: singleton.key }),
    ...("callerId" in source && { invokedBy: { invocationId: source.callerId, target: source.callerTarget } }),
    ...(source.kind === "restart" && { restartedFrom: source.formerId }),
    ...(source.kind === "subscription" && { subscriptionId: source.subscriptionId }),
    ...(source.kind === "schedule" && { schedule: source.schedule }),
    ...(loaded.lastAct && { lastAct: loaded.lastAct }),
    ...(pin && { pinnedDeploymentId: pin.deploymentId, protocolVersion: pin.protocolVersion }),
    ...(lastFailure && phase.status !== "completed" && { lastFailure }),
    ...(phase.status === "backing-off" && { nextRetryAtMs: phase.retryAtMs }),
    ...(outcome && { outcome }),
    ...(phase.status === "completed" && { completedAtMs: phase.endedAtMs }),
    ...(phase.status === "completed" && phase.result.kind === "failure" && { failure: phase.result.failure }),
    ...waits(loaded, invocation, driven),
    ...(queue && { queue }),
  };
}

function waits(
  { leaseRecord }: Loaded,
  { phase }: Invocation,
  driven: ActiveInvocation | undefined,
): { wakeAtMs?: number; silentSinceMs?: number } {
  const exchange = driven?.attempt.exchange;
  const silentSinceMs =
    exchange?.silent === true ? exchange.heardAtMs : driven === undefined ? leaseRecord?.silentSinceMs : undefined;
  const parked = phase.status === "suspended" || phase.status === "scheduled";
  return {
    ...(parked && driven === undefined && leaseRecord?.wakeAtMs !== undefined && { wakeAtMs: leaseRecord.wakeAtMs }),
    ...(silentSinceMs !== undefined && phase.status !== "completed" && { silentSinceMs }),
  };
}

/** The moment of each entry. @param invocation the loaded invocation, or a newer state of it from the memory of a driver */
export function momentsOf(loaded: Loaded, { journal, modifiedAtMs }: Invocation): readonly number[] {
  const known = loaded.invocation.journal.entries.length;
  return entryMoments(journal.entries, loaded.moments ?? [], { known, newestAtMs: modifiedAtMs });
}

/** The current status, in the words of the API. */
export function presentedStatus(engine: Engine, loaded: Loaded): Presented {
  const { status } = knownNow(engine, loaded).phase;
  if (status !== "running" && status !== "ready") return status;
  if (engine.activeInvocations.find(loaded.invocation.acceptance.id) !== undefined) return "running";
  return isLeased(engine, loaded, engine.clock.nowMs()) ? "running" : "ready";
}

/** The place in the queue of the key, by one read of the lock; only a pending invocation costs that read. */
export async function queueOf(engine: Engine, loaded: Loaded): Promise<QueueView | undefined> {
  const { acceptance, phase } = knownNow(engine, loaded);
  const ticket = engine.activeInvocations.find(acceptance.id)?.lease.ticket ?? loaded.leaseRecord?.ticket;
  if (phase.status !== "pending" || ticket === undefined) return undefined;
  const { holder, head } = await lockAt(engine, objectPartition(engine, acceptance.target));
  const isHeld = holder !== undefined && holder.id !== EDITOR;
  return { place: Math.max(1, ticket - head), ...(isHeld && { holderId: holder.id }) };
}

/**
 * @param aside the failures of attempts that stored no entry; only the last 32 of them are kept
 * @returns undefined if the journal was dropped, because its items are gone
 */
export function usageOf(
  { stored, last, invocation }: Pick<Loaded, "stored" | "last" | "invocation">,
  attempts: readonly AttemptView[],
  aside: readonly AttemptFailure[],
): UsageView | undefined {
  if (stored === undefined || last?.segment.endAlone === true) return undefined;
  let exchangeMs = 0;
  for (const { startedAtMs, endedAtMs } of attempts) exchangeMs += Math.max(0, endedAtMs - startedAtMs);
  for (const { startedAtMs, atMs } of aside) exchangeMs += Math.max(0, atMs - (startedAtMs ?? atMs));
  // An attempt that failed in the same way as the one before leaves no item, but the number of the last attempt includes it.
  const exchanges = Math.max(attempts.length + aside.length, invocation.attempts);
  return { ...stored, exchanges, exchangeMs };
}
