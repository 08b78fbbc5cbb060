/** The looks at one entry of the open index: they extend an invocation, wake it, postpone the next look, or clean up (I8). */
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { extendOpen } from "../lease/extend.ts";
import { extendQueue } from "../lock/extend-queue.ts";
import { objectPartition } from "../store/object-partition.ts";
import { forgetInTime } from "../operate/purge.ts";
import { idOf } from "../store/index-walk.ts";
import { belongsTo, leaseRecordKey, HOLDS } from "../store/item-keys.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { isToBeExtended } from "../store/ttl.ts";
import { isLeased, isParked, load, type Loaded } from "../store/load.ts";
import type { Item } from "../ports/table.ts";
import { wakeLoaded, wakeOnce } from "./driverless.ts";
import type { Guard } from "./guard.ts";
import { type Check, checkAt, spared } from "./check.ts";
import type { Tally } from "./tally.ts";
import { wakeForMissedResults } from "./missed-results.ts";
import { postpone, wouldAdvance } from "./would-advance.ts";

export interface Looking {
  readonly engine: Engine;
  readonly tally: Tally;
  readonly guard: Guard;
}

/**
 * @param item an entry of the open index
 * @param isRead whether to read the arrivals of an entry that is not due, because the wake of an arrival may be lost
 * @returns an empty array if the entry shows that there is nothing to do
 */
export function looksAtOpen(at: Looking, item: Item, isRead: boolean): readonly Check[] {
  const nowMs = at.engine.clock.nowMs();
  // A claim or a renewal does not move the entry, so only the lease record shows the end of the lease of a running entry.
  const isDue = item["status"] === "running" || Number(item["lookAtMs"]) <= nowMs;
  const isOld = item["status"] !== "completed" && isToBeExtended(at.engine.settings, Number(item["keepUntilS"]), nowMs);
  if (!isDue && !isOld && !isRead) return [];
  const id = idOf(item);
  const looks: Check[] = [];
  if (isOld && !at.guard.isDeadly(id, "extend")) looks.push({ id, phase: "extend", run: () => extend(at, item) });
  if (!isDue && !isRead) return looks;
  if (isRead && !isDue) at.tally.readsLeft--;
  looks.push(at.guard.isDeadly(id, "look") ? unreadLook(at, item, isDue) : look(at, item, { nowMs, isDue, isRead }));
  return looks;
}

async function extend({ engine, tally }: Looking, item: Item): Promise<boolean> {
  const isDone = await spared(engine, idOf(item), async () => {
    await extendPlace(engine, item);
    if (await extendOpen(engine, idOf(item), nonceOf(item))) tally.extended++;
  });
  if (!isDone) tally.isExtensionMissing = true;
  return isDone;
}

/**
 * Before the invocation itself: if a crash ends the extension, the next pass finds the invocation as it was, and repeats both. The index
 * does not show the ticket.
 */
async function extendPlace(engine: Engine, item: Item): Promise<void> {
  const { service, objectKey: key } = item;
  if (typeof service !== "string" || typeof key !== "string") return;
  const nonce = nonceOf(item);
  const stored = await engine.table.get(leaseRecordKey(item.pk, nonce));
  if (stored === undefined) return;
  const { ticket } = readLeaseRecord(stored);
  await extendQueue(engine, objectPartition(engine, { service, key }), { id: idOf(item), nonce, ticket });
}

interface Why {
  readonly nowMs: number;
  readonly isDue: boolean;
  readonly isRead: boolean;
}

function look(at: Looking, item: Item, why: Why): Check {
  const { engine, tally } = at;
  return checkAt(
    engine,
    idOf(item),
    (loaded) => lookAtLoaded(at, item, loaded, why),
    async () => {
      // To drop the journal of a completed invocation, `forget` loads the whole journal, whatever its size. The sweeper therefore
      // drops one journal at a time.
      if (item["status"] === "completed") await tally.alone(() => forget(engine, item));
      else await wakeUnread(at, item);
    },
  );
}

async function lookAtLoaded(at: Looking, item: Item, loaded: Loaded, { nowMs, isDue, isRead }: Why): Promise<void> {
  const { engine, tally } = at;
  if (!belongsTo(item.sk, loaded.invocation.acceptance.nonce)) return await removeGhost(engine, item);
  if (item["status"] === "completed") return await forgetInTime(engine, loaded);
  if (isLeased(engine, loaded, nowMs)) return;
  if (isParked(loaded) && !(await wouldAdvance(engine, loaded, nowMs, isDue))) {
    // An awaited invocation may have ended without delivering its result, if its driver died and its message was lost.
    await wakeForMissedResults(engine, loaded);
    if (!isDue) return;
    await postpone(engine, loaded, nowMs);
    tally.postponed++;
    return;
  }
  if (!isDue && !isRead) return;
  if (isDue && isParked(loaded)) tally.dueSinceMs = Math.min(tally.dueSinceMs, Number(item["lookAtMs"]));
  if (await wakeLoaded(engine, loaded, nowMs)) tally.woken++;
}

/**
 * Does not load the invocation, because an earlier load killed a process. A worker gets a message instead; if the message
 * fails again and again, it becomes a dead letter.
 */
function unreadLook(at: Looking, item: Item, isDue: boolean): Check {
  const id = idOf(item);
  const run = () => spared(at.engine, id, async () => (isDue ? await wakeUnread(at, item) : undefined));
  return { id, phase: "look", run };
}

/**
 * Decides by the lease record alone whether a driver has the invocation; a worker finds out whether the invocation can
 * advance.
 */
async function wakeUnread({ engine, tally }: Looking, item: Item): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const existing = await engine.table.get(leaseRecordKey(item.pk, nonceOf(item)));
  if (existing === undefined) return;
  const { token, untilMs } = readLeaseRecord(existing);
  if (isLeased(engine, { lease: { token, untilMs } }, nowMs)) return;
  const { service } = item;
  const to = { id: idOf(item), ...(typeof service === "string" && { target: { service } }) };
  if (await wakeOnce(engine, to, token, nowMs)) tally.woken++;
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
