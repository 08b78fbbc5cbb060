/** What nobody drives although it should be driven: one look at each entry of an index, and a message where it is left (I8). */
import { effectsOf } from "../../core/invocation/effects.ts";
import type { Engine } from "../engine.ts";
import { extendOpen } from "../drive/extend.ts";
import { hasAged } from "./has-aged.ts";
import { forgetInTime } from "../operate/purge.ts";
import { idOf, listedItems, openItems } from "../ledger/index-walk.ts";
import { belongsTo } from "../ledger/item-keys.ts";
import { EXTEND_BELOW_S } from "../ledger/keep.ts";
import { hasExpired, isHeld, isParked, load, type Loaded, unperformed } from "../ledger/load.ts";
import type { Item } from "../ports/table.ts";
import { wouldAdvance } from "../drive/take-wake.ts";
import { sendWake } from "../drive/wake.ts";

const DAY_MS = 86_400_000;

/** Read for what arrived by one walk, at most: a pass has minutes, and must come to its end however much is open. */
export const READS_MAX = 5_000;
const LOOKS_TOGETHER = 16;

export type Walk = "due" | "everything";

/**
 * Wakes what is due and held by nobody, and extends what would expire while it is open. A walk over everything also reads
 * what arrived for those whose clock is far away, each time that their age has doubled: the wake of an arrival may be lost.
 * @param walkedAtMs when the walk over everything before this one was; -Infinity reads for all of them
 * @param readsMax for so many of them; who is left out is read when its age has doubled again
 */
export async function lookAtOpen(
  engine: Engine,
  nowMs: number,
  walk: Walk,
  walkedAtMs: number,
  readsMax: number = READS_MAX,
) {
  const report = { woken: 0, extended: 0 };
  let overdueMs = 0;
  let readsLeft = readsMax;
  await someTogether(openItems(engine, walk === "due" ? nowMs + 1 : undefined), async (item) => {
    // Who drives keeps the entry where it stood, so that the end of a lease is known to the hold alone.
    const isDue = item["status"] === "running" || Number(item["lookAtMs"]) <= nowMs;
    const isOld = Number(item["keepUntilS"]) - nowMs / 1000 < EXTEND_BELOW_S;
    const isRead = walk === "everything" && readsLeft > 0 && hasAged(engine, item, walkedAtMs, nowMs);
    if (!isDue && !isOld && !isRead) return;
    if (isRead && !isDue) readsLeft--;
    await spared(engine, item, async (loaded) => {
      if (!belongsTo(item.sk, loaded.invocation.acceptance.nonce)) return await removeGhost(engine, item);
      if (item["status"] === "completed") return await forgetInTime(engine, loaded);
      if (isOld && (await extendOpen(engine, loaded))) report.extended++;
      if (isHeld(engine, loaded, nowMs)) return;
      if (!isDue && !(isRead && wouldAdvance(loaded, nowMs))) return;
      if (isDue && isParked(loaded)) overdueMs = Math.max(overdueMs, nowMs - Number(item["lookAtMs"]));
      if (await wakeOnce(engine, loaded, nowMs)) report.woken++;
    });
  });
  // What is parked is looked at when it is due; one pass of the sweeper late is what a lost wake costs, and no more.
  engine.meter.gauge("oldest_overdue_seconds", overdueMs / 1000);
  if (walk === "everything") engine.drives.walkedAtMs = nowMs;
  return report;
}

type Waking = (engine: Engine, loaded: Loaded, nowMs: number) => Promise<boolean>;

/** @returns how many were woken of those accepted from `fromMs` on and before `belowMs` */
export async function lookAtListing(engine: Engine, fromMs: number, belowMs: number, wake: Waking): Promise<number> {
  const nowMs = engine.clock.nowMs();
  let woken = 0;
  await someTogether(listedItems(engine, fromMs, belowMs), async (item) => {
    await spared(engine, item, async (loaded) => {
      if (!hasExpired(loaded, nowMs) && (await wake(engine, loaded, nowMs))) woken++;
    });
  });
  return woken;
}

/** Finds what was accepted and then left: not ended, not parked, held by nobody. What has ended may have a journal to drop. */
export async function wakeDriverless(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  if (loaded.invocation.standing.status === "completed") {
    if (loaded.hold?.lookAtMs === undefined) await forgetInTime(engine, loaded);
    return false;
  }
  if (isHeld(engine, loaded, nowMs) || isParked(loaded)) return false;
  return await wakeOnce(engine, loaded, nowMs);
}

/**
 * Also what ended not long ago with a segment whose effects nobody else would perform: its driver may have died behind
 * that segment. Later than a day after the end, what it sent may have expired, and would run anew.
 */
export async function wakeLeft(engine: Engine, loaded: Loaded, nowMs: number): Promise<boolean> {
  const { standing } = loaded.invocation;
  if (standing.status !== "completed") return await wakeDriverless(engine, loaded, nowMs);
  const last = unperformed(loaded);
  if (last === undefined || nowMs - standing.endedAtMs >= DAY_MS) return false;
  const isLeft = effectsOf(last.before, last.segment).some(({ kind }) => !ASKED_FOR_AGAIN.has(kind));
  return isLeft && (await wakeOnce(engine, loaded, nowMs));
}

/** Whoever waits for these asks again when it is driven. */
const ASKED_FOR_AGAIN = new Set(["deliver", "answer-sinks", "attach", "get-output"]);

/** Under a backlog the message that an earlier pass sent still waits in the queue: one for each state is enough for a while. */
async function wakeOnce(engine: Engine, { invocation, lease }: Loaded, nowMs: number): Promise<boolean> {
  const { acceptance } = invocation;
  const { id } = acceptance;
  const { woken } = engine.drives;
  const state = `${lease.token}.${invocation.segmentIndex}`;
  if (woken.isKnown(id, state, nowMs)) return false;
  await sendWake(engine, acceptance, 0);
  woken.note(id, state, nowMs);
  return true;
}

/** The hold of a former life, which expired before it had left the index: nobody reads it any more (I12). */
async function removeGhost(engine: Engine, { pk, sk }: Item): Promise<void> {
  await engine.table.delete({ pk, sk });
}

/** A pass has minutes, and each look takes some round trips to the table. @param look never rejects */
async function someTogether(items: AsyncIterable<Item>, look: (item: Item) => Promise<void>): Promise<void> {
  let looks: Promise<void>[] = [];
  try {
    for await (const item of items) {
      if (looks.push(look(item)) < LOOKS_TOGETHER) continue;
      await Promise.all(looks);
      looks = [];
    }
  } finally {
    // Also where the index fails: nothing may be on its way when the function is frozen.
    await Promise.all(looks);
  }
}

/** One invocation that cannot be read must not keep the sweeper from all others. */
async function spared(engine: Engine, item: Item, look: (loaded: Loaded) => Promise<void>): Promise<void> {
  const invocationId = idOf(item);
  try {
    const loaded = await load(engine, invocationId);
    if (loaded !== undefined) await look(loaded);
  } catch (error) {
    engine.log.error("the sweeper could not look at an invocation", { invocationId, error: String(error) });
  }
}
