/** Looks at entries of the open index: they extend an invocation, wake it, postpone the next look, or clean up (I8). */
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { extendOpen } from "../lease/extend.ts";
import { extendQueue, isHeldBy } from "../lock/object-lock.ts";
import { targetIn } from "../store/target-attributes.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { forgetInTime } from "../operate/purge.ts";
import { idOf } from "../store/index-walk.ts";
import { ACCEPTANCE_SK, HOLDS, belongsTo, invocationPk, leaseRecordKey, openKeys } from "../store/item-keys.ts";
import { type LeaseRecord, readLeaseRecord } from "../store/lease-record.ts";
import { isToBeExtended } from "../store/ttl.ts";
import { type Loaded, isLeased, isParked, load, pollOf } from "../store/load.ts";
import { type Item, KEYS_MAX } from "../ports/table.ts";
import { type Look, type Looking, lookAt, spared, wakeLoaded, wakeOnce } from "./looks.ts";
import { advance } from "../../core/invocation/advance.ts";
import { untilNextCheckMs } from "../lease/release.ts";
import { passOver } from "../lock/leave-queue.ts";
import { comesToItsGate } from "../limits/pools.ts";
import { lookIfStale } from "../lock/acquire.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { awaited } from "../effects/wake-awaited.ts";
import { type Recipient, sendWake } from "../messaging/wake.ts";
import { textHash } from "../../core/model/text-hash.ts";

/**
 * @param item an entry of the open index
 * @param isRead whether to read the arrivals of an entry that is not due, because the wake of an arrival may be lost
 * @returns an empty array if the entry shows that there is nothing to do
 */
export function looksAtOpen(at: Looking, item: Item, isRead: boolean): readonly Look[] {
  const nowMs = at.engine.clock.nowMs();
  // A claim or a renewal does not move the entry, so only the lease record shows the end of the lease of a running entry.
  const isDue = item["status"] === "running" || Number(item["lookAtMs"]) <= nowMs;
  const isOld = item["status"] !== "completed" && isToBeExtended(at.engine.settings, Number(item["keepUntilS"]), nowMs);
  if (!isDue && !isOld && !isRead) return [];
  const id = idOf(item);
  const looks: Look[] = [];
  if (isOld && !at.guard.isDeadly(id, "extend")) looks.push({ id, phase: "extend", run: () => extend(at, item) });
  if (!isDue && !isRead) return looks;
  if (isRead && !isDue) at.counts.readsLeft--;
  looks.push(at.guard.isDeadly(id, "look") ? unreadLook(at, item, isDue) : look(at, item, { nowMs, isDue, isRead }));
  return looks;
}

async function extend({ engine, counts }: Looking, item: Item): Promise<boolean> {
  const isDone = await spared(engine, idOf(item), async () => {
    await extendPlace(engine, item);
    if (await extendOpen(engine, idOf(item), nonceOf(item))) counts.extended++;
  });
  if (!isDone) counts.isExtensionMissing = true;
  return isDone;
}

/**
 * Before the invocation itself: if a crash ends the extension, the next pass finds the invocation as it was, and repeats both. The index
 * does not show the ticket.
 */
async function extendPlace(engine: Engine, item: Item): Promise<void> {
  const target = targetIn(item);
  if (target.key === undefined) return;
  const nonce = nonceOf(item);
  const stored = await engine.table.get(leaseRecordKey(item.pk, nonce));
  if (stored === undefined) return;
  const { ticket } = readLeaseRecord(stored);
  await extendQueue(engine, objectPartition(engine, target), { id: idOf(item), nonce, ticket });
}

interface Why {
  readonly nowMs: number;
  readonly isDue: boolean;
  readonly isRead: boolean;
}

function look(at: Looking, item: Item, why: Why): Look {
  const { engine, counts } = at;
  return lookAt(
    engine,
    idOf(item),
    (loaded) => lookAtLoaded(at, item, loaded, why),
    async () => {
      // To drop the journal of a completed invocation, `forget` loads the whole journal, whatever its size. The sweeper therefore
      // drops one journal at a time.
      if (item["status"] === "completed") await counts.alone(() => forget(engine, item));
      else await wakeUnread(at, item);
    },
  );
}

async function lookAtLoaded(at: Looking, item: Item, loaded: Loaded, { nowMs, isDue, isRead }: Why): Promise<void> {
  const { engine, counts } = at;
  if (!belongsTo(item.sk, loaded.invocation.acceptance.nonce)) return await removeGhost(engine, item);
  if (item["status"] === "completed") return await forgetInTime(engine, loaded);
  if (isLeased(engine, loaded, nowMs)) return;
  if (isParked(loaded) && !(await wouldAdvance(engine, loaded, nowMs, isDue))) {
    // An awaited invocation may have ended without delivering its result, if its driver died and its message was lost.
    await wakeForMissedResults(engine, loaded);
    if (!isDue) return;
    await postpone(engine, loaded, nowMs);
    counts.postponed++;
    return;
  }
  if (!isDue && !isRead) return;
  if (isDue && isParked(loaded)) counts.dueSinceMs = Math.min(counts.dueSinceMs, Number(item["lookAtMs"]));
  if (await wakeLoaded(engine, loaded, nowMs)) counts.woken++;
}

/**
 * Does not load the invocation, because an earlier load killed a process. A worker gets a message instead; if the message
 * fails again and again, it becomes a dead letter.
 */
function unreadLook(at: Looking, item: Item, isDue: boolean): Look {
  const id = idOf(item);
  const run = () => spared(at.engine, id, async () => (isDue ? await wakeUnread(at, item) : undefined));
  return { id, phase: "look", run };
}

/**
 * Decides by the lease record alone whether a driver has the invocation; a worker finds out whether the invocation can
 * advance.
 */
async function wakeUnread({ engine, counts }: Looking, item: Item): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const existing = await engine.table.get(leaseRecordKey(item.pk, nonceOf(item)));
  if (existing === undefined) return;
  const { token, untilMs } = readLeaseRecord(existing);
  if (isLeased(engine, { lease: { token, untilMs } }, nowMs)) return;
  const { service } = item;
  const to = { id: idOf(item), ...(typeof service === "string" && { target: { service } }) };
  if (await wakeOnce(engine, to, token, nowMs)) counts.woken++;
}

async function forget(engine: Engine, item: Item): Promise<void> {
  const loaded = await load(engine, idOf(item));
  if (loaded !== undefined && belongsTo(item.sk, loaded.invocation.acceptance.nonce))
    await forgetInTime(engine, loaded);
}

/** Deletes a lease record of a former life that is still in the open index. No driver reads that record any more (I12). */
async function removeGhost(engine: Engine, { pk, sk }: Item): Promise<void> {
  await engine.table.delete({ pk, sk });
}

function nonceOf({ sk }: Item): Nonce {
  return sk.slice(HOLDS.length) as Nonce;
}

/**
 * True if a parked invocation would advance after a wake. To find out costs less than a message, a claim and a park.
 * @param loaded a parked invocation
 * @param isDue whether the time of the next look has come. If not, `wouldAdvance` does not read the lock for an invocation in the
 *   queue of a key, because thousands may wait there
 */
export async function wouldAdvance(engine: Engine, loaded: Loaded, nowMs: number, isDue: boolean): Promise<boolean> {
  const { invocation, leaseRecord } = loaded;
  const poll = pollOf(loaded, nowMs);
  if (leaseRecord === undefined || poll.arrivals.some(({ kind }) => kind === "kill")) return true;
  const { step, segment } = advance(invocation, poll);
  if (segment !== undefined) return true;
  if (step.kind === "park") {
    if (isDue && step.status === "paused") await passOver(engine, invocation);
    return step.status !== leaseRecord.status || step.wakeAtMs !== leaseRecord.wakeAtMs;
  }
  if (leaseRecord.waitsAt !== undefined && (step.kind === "attempt" || step.kind === "acquire"))
    return isDue && (await comesToItsGate(engine, loaded));
  if (step.kind !== "acquire" || leaseRecord.status !== "pending") return true;
  return isDue && (await comesToItsKey(engine, loaded, leaseRecord));
}

/**
 * True if the invocation holds its key or is no longer in the queue. If it is the first in the queue, also looks at a stale
 * holder.
 */
async function comesToItsKey(engine: Engine, { invocation }: Loaded, { ticket }: LeaseRecord): Promise<boolean> {
  const { acceptance } = invocation;
  const pk = objectPartition(engine, acceptance.target);
  const lock = await lockAt(engine, pk);
  const isInLine = ticket !== undefined && lock.holder !== undefined && ticket > lock.head;
  if (!isInLine || isHeldBy(lock, acceptance)) return true;
  await lookIfStale(engine, pk, acceptance.target, { ticket, lock });
  return false;
}

/**
 * Postpones the next look at a parked invocation that would not advance, with one write instead of a message, a claim and
 * a park. Writes nothing if a driver has claimed or parked the invocation since the load.
 */
export async function postpone(engine: Engine, { invocation, leaseRecord, pk }: Loaded, nowMs: number): Promise<void> {
  if (leaseRecord === undefined) return;
  const { id, nonce } = invocation.acceptance;
  const intervalMs = engine.settings.checkIntervalMs;
  const waitsOutside = leaseRecord.status === "suspended" || leaseRecord.status === "paused";
  const checkAtMs = nowMs + (waitsOutside ? untilNextCheckMs(nowMs - invocation.modifiedAtMs, intervalMs) : intervalMs);
  const { wakeAtMs = 0 } = leaseRecord;
  const lookAtMs = wakeAtMs > nowMs ? Math.min(wakeAtMs, checkAtMs) : checkAtMs;
  const set = { lookAtMs, ...openKeys(engine.settings, id, lookAtMs) };
  const unchanged = { kind: "equal", attribute: "token", value: leaseRecord.token } as const;
  await engine.table.update(leaseRecordKey(pk, nonce), { set }, unchanged);
}

/**
 * Wakes the invocations that a suspended one awaits, because they may have ended without delivering their results. Sends no message
 * to an invocation in the open index, because the sweeper finds it there. So a thousand sleeping calls get no
 * message.
 */
export async function wakeForMissedResults(engine: Engine, loaded: Loaded): Promise<void> {
  const all = awaited(engine, loaded);
  for (let from = 0; from < all.length; from += KEYS_MAX) {
    const some = all.slice(from, from + KEYS_MAX);
    const open = await areInOpenIndex(engine, some);
    const toWake = some.filter((_, at) => !open[at]);
    await atMost(AT_ONCE, toWake, (one) => sendWake(engine, one, 0));
  }
}

async function areInOpenIndex({ table, settings }: Engine, some: readonly Recipient[]): Promise<readonly boolean[]> {
  const pks = some.map(({ id }) => invocationPk(settings.keyPrefix, id));
  // An invocation that is awaited twice is read once.
  const distinct = [...new Set(pks)];
  const firsts = await table.getMany(distinct.map((pk) => ({ pk, sk: ACCEPTANCE_SK })));
  const found = firsts.flatMap((first) => (first === undefined ? [] : [first]));
  const records = await table.getMany(found.map(({ pk, n }) => leaseRecordKey(pk, n as Nonce)));
  const open = new Set(records.flatMap((record) => (typeof record?.["lookAtMs"] === "number" ? [record.pk] : [])));
  return pks.map((pk) => open.has(pk));
}

/**
 * True if the age of an invocation has passed a mark since `sinceMs`. The marks are the check interval, twice the interval, four
 * times the interval, and so on. A hash of the id lowers the marks by up to a half, so that invocations accepted together are not
 * all read together.
 * @param item an entry of the open index
 * @param sinceMs a moment; the answer is true for -Infinity, and false for a moment after `nowMs`
 */
export function hasAged({ settings }: Engine, item: Item, sinceMs: number, nowMs: number): boolean {
  if (sinceMs === -Infinity) return true;
  const intervalMs = settings.checkIntervalMs;
  const fromMs = Number(item["createdAtMs"]);
  const phase = textHash(item.pk) / 2 ** 32;
  const doublings = (atMs: number): number =>
    Math.floor(Math.log2(Math.max(0.5, (atMs - fromMs) / intervalMs)) + phase);
  return sinceMs < nowMs && doublings(nowMs) !== doublings(sinceMs);
}
