/** The walks that an operator orders after a restore: over every entry of the open index, and over the whole listing. */
import { DAY_MS } from "../../core/model/time-units.ts";
import { behind, idAt, type IndexPosition, START, type Stretch } from "../store/index-walk.ts";
import { placeAt } from "../store/item-keys.ts";
import { TRIES_MAX } from "./listing-tasks.ts";
import { OpenCount } from "./open-count.ts";
import type { Again, Order } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { abandon } from "./unread.ts";
import { walkOnce } from "./walk-once.ts";
import { type Walk, walkPart } from "./walks.ts";

/** Visits every entry of the open index, due or not, and reads its arrivals. */
export const orderedOpenTask: Task = {
  isLeft: ({ order }, { tally }) => !tally.isStuck && order?.openFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, stretch } = orderedOpenTask.rest(saved, pass);
    if (stretch.from === START) pass.tally.orderedOpen = new OpenCount(pass.engine);
    const order = saved.order!;
    const { from, again } = await walkOn(pass, walk, stretch, isOver, order.openAgain);
    return { ...saved, order: { ...order, openFrom: from, openAgain: again } };
  },
  rest: ({ progress, order }) => ({
    walk: { name: "ordered-open", beganMs: order!.beganMs },
    stretch: { from: order!.openFrom! },
    saved: { progress, order: { ...order!, openFrom: undefined } },
  }),
};

/** Passes the whole listing, from its oldest entry on. */
export const orderedListingTask: Task = {
  isLeft: ({ order }, { tally }) => !tally.isStuck && order?.listedFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, stretch } = orderedListingTask.rest(saved, pass);
    const order = saved.order!;
    const { from, again } = await walkOn(pass, walk, stretch, isOver, order.listedAgain);
    return { ...saved, order: { ...order, listedFrom: from, listedAgain: again } };
  },
  rest: ({ progress, order }) => ({
    walk: { name: "ordered-listing", beganMs: order!.beganMs },
    stretch: { from: order!.listedFrom!, below: placeAt(order!.beganMs + DAY_MS) },
    saved: { progress, order: { ...order!, listedFrom: undefined } },
  }),
};

async function walkOn(pass: Pass, walk: Walk, stretch: Stretch, isOver: () => boolean, again: readonly Again[] = []) {
  return await walkOnce(again, pass.tally, isOver, (isTurnOver, onFailed) =>
    walkPart(pass, walk, stretch, isTurnOver, onFailed),
  );
}

/** Repeats the failed looks of the order once per pass. */
export async function lookAgainInOrder(order: Order, pass: Pass): Promise<Order> {
  const { beganMs, openAgain = [], listedAgain = [] } = order;
  if (openAgain.length + listedAgain.length === 0) return order;
  const left = { openAgain: [] as Again[], listedAgain: [] as Again[] };
  for (const { place, tries } of openAgain) {
    if (await isLookedAt(pass, { name: "ordered-open", beganMs }, place)) continue;
    // The entry stays in the open index, where the other walks find it.
    if (tries + 1 < TRIES_MAX) left.openAgain.push({ place, tries: tries + 1 });
  }
  for (const { place, tries } of listedAgain) {
    if (await isLookedAt(pass, { name: "ordered-listing", beganMs }, place)) continue;
    if (tries + 1 < TRIES_MAX) left.listedAgain.push({ place, tries: tries + 1 });
    else if (!(await abandon(pass.engine, place, tries))) left.listedAgain.push({ place, tries });
  }
  return { ...order, ...left };
}

/** Visits the one entry at the place. An entry of the open index that is not there any more was looked at or driven since. */
async function isLookedAt(pass: Pass, walk: Walk, place: IndexPosition): Promise<boolean> {
  let isFailed = false;
  const guarded = { ...pass, guard: { ...pass.guard, isCautious: true } };
  try {
    await walkPart(
      guarded,
      walk,
      { from: place, below: behind(place) },
      () => false,
      () => (isFailed = true),
    );
    await pass.guard.clear();
  } catch (error) {
    pass.engine.log.write("sweeper.look-failed", { invocationId: idAt(place), error: String(error) });
    return false;
  }
  return !isFailed;
}
