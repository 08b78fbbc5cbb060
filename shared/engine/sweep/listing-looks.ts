/** Looks at entries of the listing. One request reads the first two segments of many; only what these leave open is loaded. */
import { journalDropAtMs } from "../lease/release.ts";
import { isLeftUndone } from "../recover/left-undone.ts";
import type { Engine } from "../engine.ts";
import { type IndexPosition, idAt, idOf } from "../store/index-walk.ts";
import { endedAtFirst } from "../store/ended-at-first.ts";
import { ACCEPTANCE_SK, invocationPk, leaseRecordKey, momentOfPlace, segmentKey } from "../store/item-keys.ts";
import type { Loaded } from "../store/load.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { type Item, KEYS_MAX } from "../ports/table.ts";
import { type Look, type Looking, type Waking, lookAt, spared } from "./looks.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { sendWake } from "../messaging/wake.ts";
import { isOutlived } from "../store/outlived.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { firstRecord, listRecord, putRecord, unreadPlace } from "../lease/write-record.ts";

/** An entry of the listing, after the read of its first two segments. */
export interface Probed {
  readonly item: Item;
  /** The invocation, if its first two segments show that the second segment ended it. */
  readonly ended?: Loaded;
}

/** One request reads two keys per entry: the key of its acceptance, and the key of segment 1. */
const KEYS_EACH = 2;

/** Reads the first two segments of the entries, with as many entries in one request as the table allows. */
export async function* probed(engine: Engine, items: AsyncIterable<Item>): AsyncGenerator<Probed> {
  let gathered: Item[] = [];
  for await (const item of items) {
    if (gathered.push(item) < KEYS_MAX / KEYS_EACH) continue;
    yield* await probeAll(engine, gathered);
    gathered = [];
  }
  yield* await probeAll(engine, gathered);
}

async function probeAll(engine: Engine, items: readonly Item[]): Promise<readonly Probed[]> {
  // If an id has begun another life, the index may briefly show entries of both lives.
  const byPk = new Map(items.map((item) => [item.pk, item]));
  const keys = [...byPk.values()].flatMap(({ pk, n }) => [{ pk, sk: ACCEPTANCE_SK }, segmentKey(pk, n as Nonce, 1)]);
  const found = await engine.table.getMany(keys);
  const ended = new Map<Item, Loaded>();
  await Promise.all(
    [...byPk.values()].map(async (item, at) => {
      const [first, second] = [found[KEYS_EACH * at], found[KEYS_EACH * at + 1]];
      const loaded = first && second && (await endedAtFirst(engine, idOf(item), first, second));
      if (loaded !== undefined) ended.set(item, loaded);
    }),
  );
  return items.map((item) => ({ item, ...(ended.has(item) && { ended: ended.get(item)! }) }));
}

/** @param wake the action for a loaded invocation */
export function lookAtListed(at: Looking, { item, ended }: Probed, wake: Waking): Look {
  const { engine, counts, guard } = at;
  const id = idOf(item);
  const unread = () => noteUnread(engine, item);
  if (guard.isDeadly(id, "look")) return { id, phase: "look", run: () => spared(engine, id, unread) };
  const whole = lookAt(
    engine,
    id,
    async (loaded) => {
      if (await wake(engine, loaded, engine.clock.nowMs())) counts.woken++;
    },
    unread,
  );
  if (ended === undefined || asksForMore(ended)) return whole;
  return { ...whole, run: () => runUnlessDone(engine, ended, whole) };
}

/** True if the journal expires before the result, or a tombstone must leave the listing. */
function asksForMore({ invocation }: Loaded): boolean {
  const { phase } = invocation;
  return journalDropAtMs(invocation) !== undefined || (phase.status === "completed" && phase.tombstone);
}

/** Loads the whole invocation only if final effects are missing. */
async function runUnlessDone(engine: Engine, ended: Loaded, whole: Look): Promise<boolean> {
  let isUndone = true;
  const isAsked = await spared(engine, whole.id, async () => {
    isUndone = await isLeftUndone(engine, ended);
  });
  return isAsked && isUndone ? await whole.run() : isAsked;
}

/** Drivers may write the lease record between the read and the note. */
const TRIES_MAX = 3;

/**
 * For an invocation that no walk loads, because it is too large or has killed a process. Notes it in the open index and sends a
 * message, unless the invocation was in that index before or its lease
 * record has the status `completed`. The worker loads the invocation, and redoes its final effects if it has ended.
 * An invocation that is old enough for this walk and not in the open index has no live driver: a live driver would have renewed
 * its lease, and a renewal puts the invocation into the open index. The message may be lost, and the listing is walked only
 * once; so later passes find the invocation in the open index (I8).
 * @param item an entry of the listing
 * @throws Error if other processes write the lease record first in every try
 */
export async function noteUnread(engine: Engine, item: Item): Promise<void> {
  if (!(await listUnread(engine, item, engine.settings.checkIntervalMs))) return;
  engine.log.write("sweeper.look-skipped", {
    invocationId: idOf(item),
    ageS: Math.round((engine.clock.nowMs() - createdAtMs(item)) / 1000),
    keyPrefix: engine.settings.keyPrefix,
  });
  await sendWake(engine, { id: idOf(item), target: { service: String(item["service"]) } }, 0);
}

/** An invocation whose looks have failed again and again is looked at once a day: the cause may be mended by then. */
const ABANDONED_LOOK_MS = DAY_MS;

/**
 * Gives up an entry of the listing whose looks have failed again and again. No later walk passes the entry, so it is noted in
 * the open index as it is. There, extensions keep its items until the cause of the failures is mended.
 * @returns false if the store fails; the entry is then still to be remembered
 */
export async function abandon(engine: Engine, place: IndexPosition, tries: number): Promise<boolean> {
  const id = idAt(place);
  const key = { pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK };
  try {
    const item = await engine.table.get(key);
    if (item?.["listSk"] === place) await listUnread(engine, item, ABANDONED_LOOK_MS);
  } catch (error) {
    engine.log.write("sweeper.look-failed", { invocationId: id, error: String(error) });
    return false;
  }
  engine.log.write("sweeper.look-abandoned", { invocationId: id, tries });
  return true;
}

/** Puts the invocation into the open index. @returns false if it was there before, or its lease record shows the end */
async function listUnread(engine: Engine, item: Item, lookAfterMs: number): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const noted = await note(engine, item, lookAfterMs);
    if (noted !== "outrun") return noted === "noted";
  }
  throw new Error("others write its lease record again and again");
}

/**
 * A lease record counts only if its base is not below the index of the last segment. So this record says nothing about the
 * invocation but its place in the open index: the acceptance shows whether an attempt may have begun. Any driver may replace it.
 */
const BEFORE_ALL = -1;

async function note(engine: Engine, item: Item, lookAfterMs: number): Promise<"noted" | "needless" | "outrun"> {
  const id = idOf(item);
  const existing = await engine.table.get(leaseRecordKey(item.pk, item["n"] as Nonce));
  const lookAtMs = engine.clock.nowMs() + lookAfterMs;
  if (typeof existing?.["lookAtMs"] === "number") return "needless";
  const first = await engine.table.get({ pk: item.pk, sk: ACCEPTANCE_SK });
  if (first?.["n"] !== item["n"]) return "needless";
  const leaseRecord = existing && readLeaseRecord(existing);
  const { expiresAtS, end } = first!;
  if (isOutlived(engine, { expiresAtS, end, leaseRecord, untilMs: leaseRecord?.untilMs ?? 0 })) return "needless";
  if (existing === undefined) {
    const place = unreadPlace(id, item);
    const record = firstRecord(engine, place, { base: BEFORE_ALL, status: "ready", lookAtMs });
    return (await putRecord(engine, place, record, { kind: "absent" })) ? "noted" : "outrun";
  }
  return (await listRecord(engine, id, existing, lookAtMs)) ? "noted" : "outrun";
}

function createdAtMs(item: Item): number {
  return momentOfPlace(String(item["listSk"]));
}
