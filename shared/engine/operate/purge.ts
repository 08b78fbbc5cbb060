/** Forgets completed invocations: by an operator's order, or because the retention of the journal is over. */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { wipeWorkflow } from "../lock/close-workflow.ts";
import { answerSinks } from "../effects/attach-sink.ts";
import { GONE, dropAll, dropJournal, endAlone } from "./drop-journal.ts";
import type { Engine } from "../engine.ts";
import { finishBeforeForgetting } from "../recover/finish-completed.ts";
import { journalDropAtMs, leaveOpenIndex } from "../lease/release.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import { type Loaded, hasExpired, unperformed } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import type { Purging } from "../ports/submission.ts";
import { HOUR_MS } from "../../core/model/time-units.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Condition, Item } from "../ports/table.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import { ACCEPTANCE_SK, EARLY, PIECES, invocationPk, segmentIndexOf } from "../store/item-keys.ts";
import { dropPieces } from "../store/large-record.ts";
import { eachPage } from "../store/read-partition.ts";
import { segmentItem } from "../store/segment-record.ts";
import { earlyUntilS, openUntilS } from "../store/ttl.ts";

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

/**
 * Pieces are written before the acceptance that names them, and an early arrival before the acceptance that takes it. An acceptance
 * that is under way takes less than this.
 */
const UNDER_WAY_MAX_MS = HOUR_MS;

/** An item of the partition without its record. */
interface Remnant {
  readonly pk: string;
  readonly sk: string;
  readonly n: string | undefined;
  readonly expiresAtS: number;
  /** Set on a final segment; a fence is one without content. */
  readonly end?: "end" | "fence";
}

/** True if an operator has purged this life: only a fence is left of it, and the acceptance of a child without content. */
export function isPurged({ invocation: { phase }, last }: Loaded): boolean {
  return phase.status === "completed" && phase.tombstone && last?.segment.endAlone === true;
}

/**
 * Leaves the final segment of each life as a fence without content, so that no late driver writes the next segment (I1), and an
 * acceptance that is open or under way.
 * @returns true if anything was removed
 */
export async function eraseRemains(engine: Engine, id: InvocationId): Promise<boolean> {
  // This process may hold the acceptance in memory.
  if (engine.activeInvocations.find(id) !== undefined) return false;
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const found = await remnantsIn(engine, pk);
  if (found.length === 0) return false;
  // The list comes first: an item of a life that began after it cannot be on the list, except for pieces.
  const loaded = await loadHeads(engine, id);
  const goes = found.filter((item) => isToGo(engine, item, loaded));
  await atMost(AT_ONCE, goes, async (item) => {
    if (item.end === "end") await fence(engine, item);
    else await engine.table.delete(item, conditionOf(item));
  });
  return goes.length > 0;
}

async function remnantsIn({ table }: Engine, pk: string): Promise<readonly Remnant[]> {
  const found: Remnant[] = [];
  await eachPage(table, pk, {}, (items) => {
    for (const item of items) {
      const { sk, n, expiresAtS } = item;
      const isFence = item["tombstone"] === true;
      found.push({
        pk,
        sk,
        n: typeof n === "string" ? n : undefined,
        expiresAtS: Number(expiresAtS ?? 0),
        ...(item["end"] === true && sk !== ACCEPTANCE_SK && { end: isFence ? ("fence" as const) : ("end" as const) }),
      });
    }
  });
  return found;
}

function isToGo(engine: Engine, item: Remnant, loaded: Loaded | undefined): boolean {
  if (item.end === "fence") return false;
  const isForgotten = loaded === undefined || isPurged(loaded);
  // The acceptance of a purged child stays. One that is stored but not loaded has lost its end to the table (ADR 0034).
  if (item.sk === ACCEPTANCE_SK) return loaded === undefined;
  const owner = item.sk.split("#", 2)[1];
  const nowMs = engine.clock.nowMs();
  if (owner === EARLY) return isForgotten && item.expiresAtS <= earlyUntilS(nowMs - UNDER_WAY_MAX_MS);
  if (owner === loaded?.invocation.acceptance.nonce) return isForgotten;
  if (!item.sk.startsWith(PIECES.from)) return true;
  const retentionS = Math.ceil((loaded?.invocation.acceptance.completionRetentionMs ?? 0) / 1000);
  return item.expiresAtS <= openUntilS(engine.settings, nowMs - UNDER_WAY_MAX_MS) + retentionS;
}

/** A new life may have replaced the acceptance since it was listed. */
function conditionOf({ sk, n }: Remnant): Condition | undefined {
  return sk === ACCEPTANCE_SK && n !== undefined ? { kind: "equal", attribute: "n", value: n } : undefined;
}

/** Replaces the final segment of a former life by one without content. */
async function fence(engine: Engine, { pk, sk, expiresAtS }: Remnant): Promise<void> {
  const existing: Item | undefined = await engine.table.get({ pk, sk });
  const b = existing?.["b"];
  if (existing === undefined || b === undefined) return;
  const nonce = sk.split("#", 2)[1] as Nonce;
  const place = { pk, nonce, lease: NO_LEASE, consumedUnits: 0, expiresAtS };
  const writtenAtMs = engine.clock.nowMs();
  const result = { kind: "failure", failure: GONE } as const;
  const after = { kind: "completed", result, killed: false, tombstone: true } as const;
  const index = segmentIndexOf({ pk, sk });
  const bare = endAlone({ index, writtenAtMs, consumed: [], entries: [], after, retries: NO_RETRIES }, after);
  const put = await engine.table.put(segmentItem(place, bare), { kind: "equal", attribute: "b", value: b });
  if (put.written) await dropPieces(engine, existing);
}
