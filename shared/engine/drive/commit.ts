/** Writes a segment. An attempt counts only once this put succeeds; the put is also the fence between two drivers (I1). */
import { effectsOf } from "../../core/invocation/effects.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { Transition } from "../../core/invocation/transition.ts";
import type { Lease } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/lease.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { keepUntilS } from "../store/ttl.ts";
import { chunkForPut, PIECE_MAX_BYTES } from "../store/large-record.ts";
import type { Item, Written } from "../ports/table.ts";
import { sameBytes } from "../store/record-envelope.ts";
import { segmentItem } from "../store/segment-record.ts";
import { tellInvocation } from "../traces.ts";

/** @returns false if another driver wrote the segment first: the caller must then discard its decision */
export async function commit(
  engine: Engine,
  active: ActiveInvocation,
  { next, segment }: Transition & { segment: Segment },
): Promise<boolean> {
  if (active.durable !== undefined && active.pending?.waits !== true) await active.durable;
  if (active.lost) return false;
  const { acceptance } = active.invocation;
  const lease = longEnough(nextLease(engine, active.lease.token), segment);
  const consumedUnits = active.units + 1;
  const expiresAtS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs(), active.leaseRecord?.keepUntilS);
  const place = { pk: active.pk, nonce: acceptance.nonce, lease, consumedUnits, expiresAtS };
  const item = await chunkForPut(engine, segmentItem(place, segment), acceptance.nonce);
  const put = await putSegment(engine, active, item, segment);
  if (!put.written && !isOurs(put.existing, item)) {
    active.lost = true;
    engine.log.write("segment.refused", { invocationId: active.id, segment: segment.index });
    return false;
  }
  active.lease = lease;
  active.units = 0;
  active.invocation = next;
  for (const { key } of segment.consumed) {
    active.arrivals.delete(key);
    active.results.delete(key);
  }
  for (const key of segment.orders ?? []) active.arrivals.delete(key);
  engine.meter.count("segments_total", { after: segment.after.kind });
  if (engine.tracer !== undefined) tellInvocation(engine, acceptance, segment);
  return true;
}

/** The acceptance is durable before the segment, or becomes durable in one transaction with it where it is still unwritten. */
async function putSegment(engine: Engine, active: ActiveInvocation, item: Item, segment: Segment): Promise<Written> {
  if (active.pending?.waits === true) {
    const put = await active.pending.putWith(item, leavesNothing(active.invocation, segment));
    delete active.durable;
    return put;
  }
  if (active.durable !== undefined) {
    await active.durable;
    delete active.durable;
  }
  return await engine.table.put(item, { kind: "absent" });
}

/** True for an end without effects. Answering sinks does not count: an invocation that attaches later reads the result. */
function leavesNothing(before: ActiveInvocation["invocation"], segment: Segment): boolean {
  if (segment.after.kind !== "completed") return false;
  return effectsOf(before, segment).every(({ kind }) => kind === "answer-sinks");
}

/** Bytes that one partition takes in a millisecond, roughly. */
const PIECES_BYTES_PER_MS = 1_000;

/** Extends the lease of a large segment by the time that its pieces take: they are written after the lease's end is set. */
function longEnough(lease: Lease, { entries }: Segment): Lease {
  let sizeBytes = 0;
  for (const { frame } of entries) sizeBytes += frame.length;
  if (sizeBytes <= PIECE_MAX_BYTES) return lease;
  return { token: lease.token, untilMs: lease.untilMs + Math.ceil(sizeBytes / PIECES_BYTES_PER_MS) };
}

/**
 * If the first put succeeded but its answer was lost, the retry is refused. The stored bytes, including the token, then equal
 * ours.
 */
function isOurs(existing: Item | undefined, item: Item): boolean {
  return sameBytes(existing?.["b"], item["b"]);
}
