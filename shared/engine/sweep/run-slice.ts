/** Runs one slice of a walk in a worker, for a bounded time; the slice is done when its item is deleted. */
import type { Engine } from "../engine.ts";
import { behind, type IndexPosition } from "../store/index-walk.ts";
import { sweeperPk } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";
import { deadlyLooks, type Guard, guardOver, learnDeadly } from "./guard.ts";
import { TRIES_MAX } from "./listing-tasks.ts";
import { newSlice, readSlice, type Slice, sliceItem, sliceKey } from "./slice.ts";
import { Tally } from "./tally.ts";
import { abandon } from "./unread.ts";
import { type Walk, walkPart } from "./walks.ts";

/** The longest run of a slice, because other slices and messages wait for the same worker. */
const RUN_MS = 45_000;
/** The interval at which the worker writes the progress of the slice and renews its lease. */
const SAVE_EVERY_MS = 5_000;
/** Longer than a run: a lease that expires shows that its worker has died. */
const LEASE_MS = 90_000;

/**
 * Does nothing if another worker has the lease of the slice, or if the slice is done. If the run does not finish the slice, it
 * sends the message of the slice again.
 * @returns true, because the message of the slice may be deleted
 */
export async function runSlice(engine: Engine, name: string): Promise<boolean> {
  const claimed = await claim(engine, name);
  if (claimed === undefined) return true;
  const { slice, guard, token } = claimed;
  const tally = new Tally();
  const failed: IndexPosition[] = [];
  const untilMs = engine.clock.nowMs() + RUN_MS;
  let from: IndexPosition | undefined = slice.from;
  try {
    while (from !== undefined && !isOver(engine, untilMs)) {
      const savesAtMs = Math.min(untilMs, engine.clock.nowMs() + SAVE_EVERY_MS);
      const part = { from, shards: slice.shards, ...(slice.below !== undefined && { below: slice.below }) };
      const isTurnOver = () => isOver(engine, savesAtMs);
      from = await walkPart({ engine, tally, guard }, slice.walk, part, isTurnOver, (place) => failed.push(place));
      // An entry whose look failed becomes a separate slice before the progress passes the entry.
      for (const place of failed.splice(0)) await remember(engine, slice, place);
      if (from !== undefined) await save(engine, slice, token, from);
    }
  } finally {
    await release(engine, slice, token, from);
    const { woken, extended, postponed } = tally;
    engine.log.write("sweeper.slice-done", { walk: slice.walk.name, woken, extended, postponed });
  }
  if (from !== undefined) await engine.slices?.send(name);
  return true;
}

function isOver({ activeInvocations, clock }: Engine, untilMs: number): boolean {
  return activeInvocations.stopping || clock.nowMs() >= untilMs;
}

async function claim(engine: Engine, name: string) {
  const nowMs = engine.clock.nowMs();
  const { items } = await engine.table.query(sweeperPk(engine.settings.keyPrefix), {
    from: "deadly#",
    below: "deadly$",
  });
  const item = await engine.table.get(sliceKey(engine, name));
  if (item === undefined) return undefined;
  const slice = readSlice(item);
  if (slice.untilMs > nowMs) return undefined;
  const token = engine.activeInvocations.newToken();
  const unchanged = { kind: "equal", attribute: "untilMs", value: slice.untilMs } as const;
  const set = { token, untilMs: nowMs + LEASE_MS };
  const outcome = await engine.table.update(sliceKey(engine, name), { set, remove: ["trying"] }, unchanged);
  // If this claim took effect and its answer was lost, the claim was sent again and refused; the stored token is then ours.
  if (!outcome.written && outcome.existing?.["token"] !== token) return undefined;
  const deadly = await learnDeadly(engine, item, deadlyLooks(items, nowMs));
  const isCautious = slice.token !== undefined;
  const guard: Guard = guardOver(engine, sliceKey(engine, name), { token, deadly, isCautious });
  return { slice, guard, token };
}

async function save(engine: Engine, { name }: Slice, token: string, from: IndexPosition): Promise<void> {
  const mine = { kind: "equal", attribute: "token", value: token } as const;
  const set = { from, untilMs: engine.clock.nowMs() + LEASE_MS };
  await engine.table.update(sliceKey(engine, name), { set }, mine);
}

/** @param from where the next worker continues; undefined if the slice is done */
async function release(engine: Engine, slice: Slice, token: string, from: IndexPosition | undefined): Promise<void> {
  const mine = { kind: "equal", attribute: "token", value: token } as const;
  const key = sliceKey(engine, slice.name);
  if (from === undefined) await engine.table.delete(key, mine);
  else await engine.table.update(key, { set: { from, untilMs: 0 }, remove: ["token", "trying"] }, mine);
}

/**
 * Stores a slice that contains only the entry whose look failed, because no later walk comes to the entry. A later pass sends
 * the message of the new slice.
 */
async function remember(engine: Engine, slice: Slice, place: IndexPosition): Promise<void> {
  let tries = slice.tries + 1;
  if (tries >= TRIES_MAX) {
    if (await isGivenUp(engine, slice.walk, place, tries)) return;
    tries = slice.tries;
  }
  const below = behind(place);
  const one = newSlice(
    { ...slice.walk, beganMs: slice.walk.beganMs + 1 },
    { from: place, below, shards: slice.shards },
    { sentAtMs: 0, tries },
  );
  const item: Item = sliceItem(engine, one);
  await engine.table.put(item);
}

/** An entry of the open index stays there, where the other walks find it. */
async function isGivenUp(engine: Engine, { name }: Walk, place: IndexPosition, tries: number): Promise<boolean> {
  if (name !== "ordered-open") return await abandon(engine, place, tries);
  engine.log.write("sweeper.entry-abandoned", { place, tries });
  return true;
}
