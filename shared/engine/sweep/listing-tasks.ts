/** The walks over the listing: once over all that was accepted, when it is old enough, and once more by order. */
import type { InvocationId } from "../../core/model/ids.ts";
import { lookAtListed, wakeDriverless, type Waking, wakeOrNote } from "./driverless.ts";
import { idAt, idOf, listedItems, type Place, placeOf } from "../ledger/index-walk.ts";
import { placeAt } from "../ledger/item-keys.ts";
import type { Again, Progress } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { walkOver } from "./walk-over.ts";

const DAY_MS = 86_400_000;
/** So many entries that could not be looked at are remembered; where there are more, it is the table that cannot be read. */
const AGAIN_MAX = 20;
const TRIES_MAX = 20;

/** Nobody reads the listing again: who is still open is noted in the open index. */
export const listingTask: Task = {
  isLeft: ({ progress }, { listedBelow, tally }) => !tally.isStuck && progress.listedFrom < listedBelow,
  async goOn(saved, pass, isOver) {
    return { ...saved, progress: await walkListing(saved.progress, pass, isOver, wakeOrNote) };
  },
};

/** An entry that cannot be looked at is remembered, and where there are too many, not come past. */
export async function walkListing(
  progress: Progress,
  { engine, tally, listedBelow }: Pass,
  isOver: () => boolean,
  wake: Waking,
): Promise<Progress> {
  const failed: Place[] = [];
  const room = AGAIN_MAX - progress.again.length;
  const remember = async (place: Place, id: InvocationId): Promise<void> => {
    if (!(await lookAtListed(engine, id, tally, wake))) failed.push(place);
  };
  const reached = await walkOver(listedItems(engine, { from: progress.listedFrom, below: listedBelow }), {
    placeOf: (item) => placeOf("list", item),
    look: (item) => remember(placeOf("list", item), idOf(item)),
    isOver: () => failed.length > room || isOver(),
  });
  failed.sort();
  const again = [...progress.again, ...failed.slice(0, room).map((place) => ({ place, tries: 1 }))];
  tally.isStuck = failed.length > room;
  return { ...progress, again, listedFrom: failed[room] ?? reached ?? listedBelow };
}

/** Once a pass. What still cannot be looked at is left to the next, some twenty times. */
export async function lookAgain(progress: Progress, { engine, tally }: Pass): Promise<Progress> {
  const left = await Promise.all(
    progress.again.map(async ({ place, tries }): Promise<readonly Again[]> => {
      const invocationId = idAt(place);
      if (await lookAtListed(engine, invocationId, tally, wakeOrNote)) return [];
      if (tries + 1 < TRIES_MAX) return [{ place, tries: tries + 1 }];
      engine.log.error("the sweeper gives up an invocation that it could not look at", { invocationId, tries });
      return [];
    }),
  );
  return { ...progress, again: left.flat() };
}

/** After a restore: the whole listing, as far back as it goes. */
export const orderedListingTask: Task = {
  isLeft: ({ order }) => order?.listedFrom !== undefined,
  async goOn(saved, { engine, tally }, isOver) {
    const order = saved.order!;
    const stretch = { from: order.listedFrom!, below: placeAt(order.beganMs + DAY_MS) };
    const listedFrom = await walkOver(listedItems(engine, stretch), {
      placeOf: (item) => placeOf("list", item),
      look: (item) => lookAtListed(engine, idOf(item), tally, wakeDriverless),
      isOver,
    });
    return { ...saved, order: { ...order, listedFrom } };
  },
};
