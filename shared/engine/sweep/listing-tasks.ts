/** The walks over the listing: once over each entry that is old enough, and again by order of an operator. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { lookAtListed } from "./listed-check.ts";
import { type Waking, wakeOrNote } from "./driverless.ts";
import { idAt, type IndexPosition } from "../store/index-walk.ts";
import { ACCEPTANCE_SK, invocationPk, placeAt } from "../store/item-keys.ts";
import type { Again, Progress } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { walkListed, walkPart } from "./walks.ts";

/** The progress stores at most this many entries whose look failed. If more looks fail, the cause is the table, not an entry. */
const AGAIN_MAX = 20;
export const TRIES_MAX = 20;

/** Passes each entry once, and notes open invocations in the open index. */
export const listingTask: Task = {
  isLeft: ({ progress }, { listedBelow, tally }) => !tally.isStuck && progress.listedFrom < listedBelow,
  async goOn(saved, pass, isOver) {
    return { ...saved, progress: await walkListing(saved.progress, pass, isOver, wakeOrNote) };
  },
  rest: ({ progress, order }, { listedBelow, nowMs }) => ({
    walk: { name: "listing", beganMs: nowMs },
    stretch: { from: progress.listedFrom, below: listedBelow },
    saved: { order, progress: { ...progress, listedFrom: listedBelow } },
  }),
};

/**
 * If the look at an entry fails, the walk adds the entry to the progress. If the progress has no room for the entry, the walk
 * stops before the entry.
 */
export async function walkListing(
  progress: Progress,
  pass: Pass,
  isOver: () => boolean,
  wake: Waking,
): Promise<Progress> {
  const { tally, listedBelow } = pass;
  const failed: IndexPosition[] = [];
  const room = AGAIN_MAX - progress.again.length;
  const reached = await walkListed(
    pass,
    wake,
    { from: progress.listedFrom, below: listedBelow },
    () => failed.length > room || isOver(),
    (place) => failed.push(place),
  );
  failed.sort();
  const again = [...progress.again, ...failed.slice(0, room).map((place) => ({ place, tries: 1 }))];
  tally.isStuck = failed.length > room;
  return { ...progress, again, listedFrom: failed[room] ?? reached ?? listedBelow };
}

/** Repeats the failed looks once per pass. An entry is given up after `TRIES_MAX` failed looks. */
export async function lookAgain(progress: Progress, pass: Pass): Promise<Progress> {
  const left: Again[] = [];
  for (const { place, tries } of progress.again) {
    const invocationId = idAt(place);
    if (await isLookedAt(pass, place)) continue;
    if (tries + 1 < TRIES_MAX) left.push({ place, tries: tries + 1 });
    else pass.engine.log.write("sweeper.look-abandoned", { invocationId, tries });
  }
  if (progress.again.length > 0) await pass.guard.clear();
  return { ...progress, again: left };
}

async function isLookedAt(pass: Pass, place: IndexPosition): Promise<boolean> {
  const { table, settings } = pass.engine;
  const key = { pk: invocationPk(settings.keyPrefix, idAt(place)), sk: ACCEPTANCE_SK };
  const item = await table.get(key).catch(() => "unreadable" as const);
  if (item === undefined || item === "unreadable") return item === undefined;
  const look = lookAtListed(pass, { item }, wakeOrNote);
  await pass.guard.mark(look.id, look.phase);
  return await look.run();
}

/** After a restore: passes the whole listing, from its oldest entry on. */
export const orderedListingTask: Task = {
  isLeft: ({ order }) => order?.listedFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, stretch } = orderedListingTask.rest(saved, pass);
    return { ...saved, order: { ...saved.order!, listedFrom: await walkPart(pass, walk, stretch, isOver) } };
  },
  rest: ({ progress, order }) => ({
    walk: { name: "ordered-listing", beganMs: order!.beganMs },
    stretch: { from: order!.listedFrom!, below: placeAt(order!.beganMs + DAY_MS) },
    saved: { progress, order: { ...order!, listedFrom: undefined } },
  }),
};
