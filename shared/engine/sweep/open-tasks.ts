/** The walks over the open index: due entries in each pass, other entries less often, all entries after an operator's order. */
import { type IndexPosition, START } from "../store/index-walk.ts";
import { placeAt } from "../store/item-keys.ts";
import { OpenCount } from "./open-count.ts";
import type { DueRound, Progress, Round } from "./progress.ts";
import type { Pass, Task } from "./task.ts";
import { walkPart } from "./walks.ts";

/**
 * Visits the entries that were due when the walk began. The next walk visits entries that become due later, so that each walk
 * ends.
 */
export const dueTask: Task = {
  isLeft: ({ progress }) => progress.due !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const round = progress.due!;
    const { walk, stretch } = dueTask.rest(saved, pass);
    const from = await walkPart(pass, walk, stretch, isOver);
    // If the finished walk began in an earlier pass, this pass begins another walk.
    const next = round.beganMs < pass.nowMs ? dueRound(pass.nowMs) : undefined;
    const due = from === undefined ? next : leftAt(from, round, pass);
    return { ...saved, progress: { ...progress, due } };
  },
  rest: ({ progress, order }) => ({
    walk: { name: "due", beganMs: progress.due!.beganMs },
    stretch: { from: progress.due!.from, below: placeAt(progress.due!.beganMs + 1) },
    saved: { order, progress: { ...progress, due: undefined } },
  }),
};

/** Visits the entries that are not due yet: the lease of such an invocation may be over, or its items may need a longer life. */
export const everythingTask: Task = {
  isLeft: ({ progress }) => progress.walk !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const { walk, stretch } = everythingTask.rest(saved, pass);
    const from = await walkPart(pass, walk, stretch, isOver);
    const next = from === undefined ? walked(progress, pass) : { ...progress, walk: { ...progress.walk!, from } };
    return { ...saved, progress: next };
  },
  rest: (saved, pass) => ({
    walk: { name: "everything", beganMs: saved.progress.walk!.beganMs, sinceMs: saved.progress.walkedAtMs },
    stretch: { from: saved.progress.walk!.from },
    saved: { ...saved, progress: walked(saved.progress, pass) },
  }),
};

/** Visits every entry, due or not, and reads its arrivals, after an operator's order: for example, after a restore. */
export const orderedOpenTask: Task = {
  isLeft: ({ order }) => order?.openFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, stretch } = orderedOpenTask.rest(saved, pass);
    if (stretch.from === START) pass.tally.orderedOpen = new OpenCount(pass.engine);
    return { ...saved, order: { ...saved.order!, openFrom: await walkPart(pass, walk, stretch, isOver) } };
  },
  rest: ({ progress, order }) => ({
    walk: { name: "ordered-open", beganMs: order!.beganMs },
    stretch: { from: order!.openFrom! },
    saved: { progress, order: { ...order!, openFrom: undefined } },
  }),
};

export function dueRound(nowMs: number): Round {
  return { beganMs: nowMs, from: START };
}

function leftAt(from: IndexPosition, { beganMs }: Round, { tally: { dueSinceMs } }: Pass): DueRound {
  return { beganMs, from, ...(dueSinceMs < Infinity && { sinceMs: dueSinceMs }) };
}

export function everythingRound(nowMs: number): Round {
  return { beganMs: nowMs, from: placeAt(nowMs + 1) };
}

/** True if both walks begin now. Then one read of the index serves both, which halves the cost if the index is empty. */
function bothBegin({ due, walk }: Progress, { nowMs }: Pass): boolean {
  return isSame(due, dueRound(nowMs)) && isSame(walk, everythingRound(nowMs));
}

function isSame(one: Round | undefined, other: Round): boolean {
  return one?.beganMs === other.beganMs && one.from === other.from;
}

async function walkOverBoth(progress: Progress, pass: Pass, isOver: () => boolean): Promise<Progress> {
  const round = everythingRound(pass.nowMs);
  pass.tally.open = new OpenCount(pass.engine);
  const walk = { name: "everything" as const, beganMs: round.beganMs, sinceMs: progress.walkedAtMs };
  const from = await walkPart(pass, walk, { from: START }, isOver);
  if (from === undefined) return { ...walked(progress, pass), due: undefined };
  if (from < round.from) return { ...progress, due: leftAt(from, dueRound(pass.nowMs), pass) };
  return { ...progress, due: undefined, walk: { ...round, from } };
}

/** Saves the beginning and the duration of the finished walk, which decide when the next walk begins (`begun`). */
function walked(progress: Progress, { engine }: Pass): Progress {
  const walkedAtMs = progress.walk!.beganMs;
  engine.activeInvocations.walkedAtMs = walkedAtMs;
  const walkTookMs = Math.max(0, engine.clock.nowMs() - walkedAtMs);
  return { ...progress, walkedAtMs, walkTookMs, walk: undefined };
}
