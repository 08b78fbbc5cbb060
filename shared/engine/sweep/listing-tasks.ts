/** The walk over the listing: once over each entry that is old enough. */
import { lookAtListed } from "./listed-check.ts";
import { type Waking, wakeOrNote } from "./driverless.ts";
import { idAt, type IndexPosition } from "../store/index-walk.ts";
import { ACCEPTANCE_SK, invocationPk } from "../store/item-keys.ts";
import type { Again, Progress } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { abandon } from "./unread.ts";
import { walkOnce } from "./walk-once.ts";
import { walkListed } from "./walks.ts";

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

/** If the look at an entry fails, the walk adds the entry to the progress (`walkOnce`). */
export async function walkListing(
  progress: Progress,
  pass: Pass,
  isOver: () => boolean,
  wake: Waking,
): Promise<Progress> {
  const { tally, listedBelow } = pass;
  const stretch = { from: progress.listedFrom, below: listedBelow };
  const { from, again } = await walkOnce(progress.again, tally, isOver, (isTurnOver, onFailed) =>
    walkListed(pass, wake, stretch, isTurnOver, onFailed),
  );
  return { ...progress, again, listedFrom: from ?? listedBelow };
}

/** Repeats the failed looks once per pass. An entry is given up after `TRIES_MAX` failed looks. */
export async function lookAgain(progress: Progress, pass: Pass): Promise<Progress> {
  const left: Again[] = [];
  for (const { place, tries } of progress.again) {
    if (await isLookedAt(pass, place)) continue;
    if (tries + 1 < TRIES_MAX) left.push({ place, tries: tries + 1 });
    else if (!(await abandon(pass.engine, place, tries))) left.push({ place, tries });
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
