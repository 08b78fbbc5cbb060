/** The walks over the open index: what is due, everything else now and then, and everything by order. */
import { lookAtOpen } from "./driverless.ts";
import { hasAged } from "./has-aged.ts";
import { openItems, type Place, placeOf, type Stretch } from "../ledger/index-walk.ts";
import { placeAt } from "../ledger/item-keys.ts";
import type { Item } from "../ports/table.ts";
import type { DueRound, Progress, Round } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { walkOver } from "./walk-over.ts";

/** So little in the open index is walked over by every pass. */
const FEW = 1_000;
/** Ahead of every entry. */
export const START: Place = "";

/** What was due when the walk began. What becomes due meanwhile is left to the next, or there might be no end. */
export const dueTask: Task = {
  isLeft: ({ progress }) => progress.due !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    const round = progress.due!;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const stretch = { from: round.from, below: placeAt(round.beganMs + 1) };
    const from = await walk(pass, stretch, isOver, () => false);
    // What an earlier pass had begun does not stand for this one.
    const next = round.beganMs < pass.nowMs ? dueRound(pass.nowMs) : undefined;
    const due = from === undefined ? next : leftAt(from, round, pass);
    return { ...saved, progress: { ...progress, due } };
  },
};

/** What is due later. A lease that ended, and what is to be extended, may stand there too. */
export const everythingTask: Task = {
  isLeft: ({ progress }) => progress.walk !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    const round = progress.walk!;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const from = await walk(pass, { from: round.from }, isOver, (item) => isAged(progress, round, pass, item));
    const next = from === undefined ? walked(progress, pass, false) : { ...progress, walk: { ...round, from } };
    return { ...saved, progress: next };
  },
};

/** After a restore: it is read for everybody what has arrived, however far the clock is. */
export const orderedOpenTask: Task = {
  isLeft: ({ order }) => order?.openFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const order = saved.order!;
    const openFrom = await walk(pass, { from: order.openFrom! }, isOver, () => true);
    return { ...saved, order: { ...order, openFrom } };
  },
};

export function dueRound(nowMs: number): Round {
  return { beganMs: nowMs, from: START };
}

function leftAt(from: Place, { beganMs }: Round, { tally: { dueSinceMs } }: Pass): DueRound {
  return { beganMs, from, ...(dueSinceMs < Infinity && { sinceMs: dueSinceMs }) };
}

export function everythingRound(nowMs: number): Round {
  return { beganMs: nowMs, from: placeAt(nowMs + 1) };
}

/** Two walks that begin together are one reading of the index, which in a table where nothing is open is all that there is. */
function bothBegin({ due, walk }: Progress, { nowMs }: Pass): boolean {
  return isSame(due, dueRound(nowMs)) && isSame(walk, everythingRound(nowMs));
}

function isSame(one: Round | undefined, other: Round): boolean {
  return one?.beganMs === other.beganMs && one.from === other.from;
}

async function walkOverBoth(progress: Progress, pass: Pass, isOver: () => boolean): Promise<Progress> {
  const round = everythingRound(pass.nowMs);
  let count = 0;
  const from = await walk(pass, { from: START }, isOver, (item) => {
    count++;
    return isAged(progress, round, pass, item);
  });
  if (from === undefined) return { ...walked(progress, pass, count <= FEW), due: undefined };
  if (from < round.from) return { ...progress, due: leftAt(from, dueRound(pass.nowMs), pass) };
  return { ...progress, due: undefined, walk: { ...round, from } };
}

function walked(progress: Progress, { engine }: Pass, walkedFew: boolean): Progress {
  const walkedAtMs = progress.walk!.beganMs;
  engine.drives.walkedAtMs = walkedAtMs;
  return { ...progress, walkedAtMs, walkedFew, walk: undefined };
}

async function walk(
  { engine, tally }: Pass,
  stretch: Stretch,
  isOver: () => boolean,
  isRead: (item: Item) => boolean,
): Promise<Place | undefined> {
  return await walkOver(openItems(engine, stretch), {
    placeOf: (item) => placeOf("open", item),
    look: (item) => lookAtOpen(engine, item, tally, isRead(item)),
    isOver,
  });
}

/**
 * By the moments at which walks began, so that none is left out between two of them however long they take. Who is ready
 * waits for nothing that could arrive.
 */
function isAged({ walkedAtMs }: Progress, { beganMs }: Round, { engine, tally }: Pass, item: Item): boolean {
  return item["status"] !== "ready" && tally.readsLeft > 0 && hasAged(engine, item, walkedAtMs, beganMs);
}
