/**
 * Looks at entries of the listing. One request reads the first two segments of many entries. If these segments do not suffice,
 * the look loads the whole invocation.
 */
import { journalDropAtMs } from "../lease/leave-open-index.ts";
import { isLeftUndone } from "../recover/left-undone.ts";
import type { Engine } from "../engine.ts";
import { idOf } from "../store/index-walk.ts";
import { endedAtFirst } from "../store/ended-at-first.ts";
import { ACCEPTANCE_SK, segmentKey } from "../store/item-keys.ts";
import type { Loaded } from "../store/load.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { type Item, KEYS_MAX } from "../ports/table.ts";
import type { Waking } from "./driverless.ts";
import { type Check, checkAt, spared } from "./check.ts";
import type { Looking } from "./open-check.ts";
import { noteUnread } from "./unread.ts";

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
export function lookAtListed(at: Looking, { item, ended }: Probed, wake: Waking): Check {
  const { engine, tally, guard } = at;
  const id = idOf(item);
  const unread = () => noteUnread(engine, item);
  if (guard.isDeadly(id, "look")) return { id, phase: "look", run: () => spared(engine, id, unread) };
  const whole = checkAt(
    engine,
    id,
    async (loaded) => {
      if (await wake(engine, loaded, engine.clock.nowMs())) tally.woken++;
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
async function runUnlessDone(engine: Engine, ended: Loaded, whole: Check): Promise<boolean> {
  let isUndone = true;
  const isAsked = await spared(engine, whole.id, async () => {
    isUndone = await isLeftUndone(engine, ended);
  });
  return isAsked && isUndone ? await whole.run() : isAsked;
}
