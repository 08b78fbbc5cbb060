/** The walks over the listing: once over all that was accepted, when it is old enough, and once more by order. */
import { lookAtListed } from "./listed-look.ts";
import { type Waking, wakeOrNote } from "./driverless.ts";
import { idAt, type Place } from "../ledger/index-walk.ts";
import { ACCEPTANCE_SK, invocationPk, placeAt } from "../ledger/item-keys.ts";
import type { Again, Progress } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { walkListed, walkPart } from "./walks.ts";

const DAY_MS = 86_400_000;
/** So many entries that could not be looked at are remembered; where there are more, it is the table that cannot be read. */
const AGAIN_MAX = 20;
export const TRIES_MAX = 20;

/** No walk reads the listing again: an invocation that is still open is noted in the open index. */
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

/** An entry that cannot be looked at is remembered, and where there are too many, not come past. */
export async function walkListing(
  progress: Progress,
  pass: Pass,
  isOver: () => boolean,
  wake: Waking,
): Promise<Progress> {
  const { tally, listedBelow } = pass;
  const failed: Place[] = [];
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

/** Once a pass. What still cannot be looked at is left to the next, some twenty times. */
export async function lookAgain(progress: Progress, pass: Pass): Promise<Progress> {
  const left: Again[] = [];
  for (const { place, tries } of progress.again) {
    const invocationId = idAt(place);
    if (await isLookedAt(pass, place)) continue;
    if (tries + 1 < TRIES_MAX) left.push({ place, tries: tries + 1 });
    else pass.engine.log.error("the sweeper gives up an invocation that it could not look at", { invocationId, tries });
  }
  return { ...progress, again: left };
}

async function isLookedAt(pass: Pass, place: Place): Promise<boolean> {
  const { table, settings } = pass.engine;
  const key = { pk: invocationPk(settings.keyPrefix, idAt(place)), sk: ACCEPTANCE_SK };
  const item = await table.get(key).catch(() => "unreadable" as const);
  if (item === undefined || item === "unreadable") return item === undefined;
  const look = lookAtListed(pass, { item }, wakeOrNote);
  await pass.guard.mark(look.id, look.phase);
  return await look.run();
}

/** After a restore: the whole listing, as far back as it goes. */
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
