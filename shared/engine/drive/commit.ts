/**
 * Writes a segment. An attempt has no effect before this put succeeds. If two drivers put the same segment, one put is
 * refused (I1).
 */
import { needsLock } from "../../core/invocation/acceptance.ts";
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import { effectsOf } from "../../core/invocation/effects.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Transition } from "../../core/invocation/transition.ts";
import type { Token } from "../../core/model/ids.ts";
import type { Lease } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/claim.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { freesLock, withLock, type WrittenWithLock } from "../lock/lock-with-segment.ts";
import { keepUntilS } from "../store/ttl.ts";
import { chunkForPut, PIECE_MAX_BYTES } from "../store/large-record.ts";
import type { Item, Write, Written } from "../ports/table.ts";
import { sameBytes } from "../store/record-envelope.ts";
import { segmentItem } from "../store/segment-record.ts";
import { traceEnd } from "../traces.ts";
import { reportEnd } from "./report.ts";

/** @returns false if another driver wrote the segment first: the caller must then discard its decision */
export async function commit(
  engine: Engine,
  active: ActiveInvocation,
  { next, segment }: Transition & { segment: Segment },
): Promise<boolean> {
  const { lease: handle, invocation, ownAcceptance } = active;
  if (ownAcceptance?.durable !== undefined && !ownAcceptance.waits) await ownAcceptance.durable;
  const unsettled = active.children.settle();
  if (unsettled !== undefined) await unsettled;
  if (handle.isLost) return false;
  const consumedUnits = active.writes + 1;
  const isCancelled = endOutcome(next) === "cancelled";
  const by = {
    pk: active.pk,
    token: handle.token,
    consumedUnits,
    extendedUntilS: handle.record?.keepUntilS,
    isCancelled,
  };
  const lease = await writeSegment(engine, invocation, segment, by, (item) =>
    needsLock(invocation.acceptance)
      ? withLock(engine, active, segment, (lock) => putSegmentWith(engine, active, segment, item, lock))
      : putSegment(engine, active, segment, item),
  );
  if (lease === undefined) {
    active.lose();
    return false;
  }
  handle.take(lease);
  active.forgetWrites();
  active.advanceTo(next);
  active.inbox.consume(segment);
  if (engine.activity !== undefined) reportEnd(engine.activity, next);
  return true;
}

async function putSegment(
  { table }: Engine,
  { ownAcceptance, invocation }: ActiveInvocation,
  segment: Segment,
  item: Item,
): Promise<Written> {
  if (ownAcceptance?.waits === true) return await ownAcceptance.putWith(item, hasNoEffects(invocation, segment));
  if (ownAcceptance?.durable !== undefined) await ownAcceptance.settle();
  return await table.put(item, { kind: "absent" });
}

/** @param lock a write of the lock, which goes into one transaction with the segment (ADR 16) */
async function putSegmentWith(
  engine: Engine,
  active: ActiveInvocation,
  segment: Segment,
  item: Item,
  lock: Write | undefined,
): Promise<WrittenWithLock> {
  if (lock === undefined) return await putSegment(engine, active, segment, item);
  const { ownAcceptance, invocation } = active;
  if (ownAcceptance?.waits === true)
    return await ownAcceptance.putWith(item, hasNoEffects(invocation, segment, lock), lock);
  if (ownAcceptance?.durable !== undefined) await ownAcceptance.settle();
  const outcome = await engine.table.transact([{ kind: "put", item, condition: { kind: "absent" } }, lock]);
  if (outcome.written) return outcome;
  return outcome.refused[0] === true ? { written: false, existing: undefined } : "lock-refused";
}

/** The parts of a segment's item that its writer decides. */
export interface SegmentWriter {
  readonly pk: string;
  readonly token: Token;
  readonly consumedUnits: number;
  /** The `keepUntilS` of the lease record, if there is one. */
  readonly extendedUntilS: number | undefined;
  /** The segment ends an invocation that was cancelled. */
  readonly isCancelled?: boolean;
}

/**
 * Writes a segment if it is absent; this put fences every other writer.
 * @param before the invocation without the segment
 * @param put writes the item if absent, perhaps together with others
 * @returns the lease that the segment contains; undefined if another process wrote the segment first
 */
export async function writeSegment(
  engine: Engine,
  before: Invocation,
  segment: Segment,
  { pk, token, consumedUnits, extendedUntilS, isCancelled = false }: SegmentWriter,
  put: (item: Item) => Promise<Written> = (item) => engine.table.put(item, { kind: "absent" }),
): Promise<Lease | undefined> {
  const { acceptance } = before;
  const { nonce } = acceptance;
  const lease = longEnough(nextLease(engine, token), segment);
  const expiresAtS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), extendedUntilS);
  const place = { pk, nonce, lease, consumedUnits, expiresAtS, isCancelled };
  const item = await chunkForPut(engine, segmentItem(place, segment), nonce);
  const written = await put(item);
  if (!written.written && !isOurs(written.existing, item)) {
    engine.log.write("segment.refused", { invocationId: acceptance.id, segment: segment.index });
    return undefined;
  }
  engine.meter.count("segments_total", { after: segment.after.kind });
  if (engine.tracer !== undefined) traceEnd(engine, before, segment);
  return lease;
}

/**
 * True for an end without effects. The effect `answer-sinks` does not count: the acceptance is written together with this
 * segment, so no sink exists yet, and an invocation that attaches later reads the result. A give-back does not count if the
 * write of the lock contains it.
 */
function hasNoEffects(before: Invocation, segment: Segment, lock?: Write): boolean {
  if (segment.after.kind !== "completed") return false;
  const isDone = lock !== undefined && freesLock(lock);
  return effectsOf(before, segment).every(({ kind }) => kind === "answer-sinks" || (kind === "give-back" && isDone));
}

/** Bytes that one partition takes in a millisecond, roughly. */
const PIECES_BYTES_PER_MS = 1_000;

/** The end of the lease is fixed before the pieces of a large segment are written, so the time of these writes is added. */
function longEnough(lease: Lease, { entries }: Segment): Lease {
  let sizeBytes = 0;
  for (const { frame } of entries) sizeBytes += frame.length;
  if (sizeBytes <= PIECE_MAX_BYTES) return lease;
  return { token: lease.token, untilMs: lease.untilMs + Math.ceil(sizeBytes / PIECES_BYTES_PER_MS) };
}

/**
 * If the first put succeeded but its answer was lost, the retry is refused. The stored bytes, including the token, then
 * equal ours.
 */
function isOurs(existing: Item | undefined, item: Item): boolean {
  return sameBytes(existing?.["b"], item["b"]);
}
