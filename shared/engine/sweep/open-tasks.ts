/** The walks over the open index: due entries in each pass, other entries less often. */
import { type IndexPosition, START } from "../store/index-walk.ts";
import { placeAt } from "../store/item-keys.ts";
import { expirableBeforeMs } from "../store/ttl.ts";
import { OpenCount } from "./open-count.ts";
import type { DueRound, EverythingRound, Progress, Round } from "./progress.ts";
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
    const beside = progress.walk && seen(progress.walk, pass);
    if (from !== undefined)
      return { ...saved, progress: { ...progress, walk: beside, due: leftAt(from, round, pass) } };
    // If the finished walk began in an earlier pass, this pass begins another walk.
    const due = round.beganMs < pass.nowMs ? dueRound(pass.nowMs) : undefined;
    const everything = beside?.beganMs === round.beganMs ? { ...beside, isDueVisited: true as const } : beside;
    return { ...saved, progress: { ...progress, due, walk: everything } };
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
    const round = seen(progress.walk!, pass);
    if (from !== undefined) return { ...saved, progress: { ...progress, walk: { ...round, from } } };
    allowExpiry(round, pass);
    return { ...saved, progress: walked(progress, pass) };
  },
  rest: (saved, pass) => ({
    walk: { name: "everything", beganMs: saved.progress.walk!.beganMs, sinceMs: saved.progress.walkedAtMs },
    stretch: { from: saved.progress.walk!.from },
    saved: { ...saved, progress: walked(saved.progress, pass) },
  }),
};

export function dueRound(nowMs: number): Round {
  return { beganMs: nowMs, from: START };
}

function leftAt(from: IndexPosition, { beganMs }: Round, { tally: { dueSinceMs } }: Pass): DueRound {
  return { beganMs, from, ...(dueSinceMs < Infinity && { sinceMs: dueSinceMs }) };
}

/** @param noted see `EverythingRound`; without it, the end of the walk lets a sole owner delete nothing */
export function everythingRound(nowMs: number, noted?: number): EverythingRound {
  return { beganMs: nowMs, from: placeAt(nowMs + 1), ...(noted !== undefined && { notedBeforeMs: noted }) };
}

/** True if both walks begin now. Then one read of the index serves both, which halves the cost if the index is empty. */
function bothBegin({ due, walk }: Progress, { nowMs }: Pass): boolean {
  return isSame(due, dueRound(nowMs)) && isSame(walk, everythingRound(nowMs));
}

function isSame(one: Round | undefined, other: Round): boolean {
  return one?.beganMs === other.beganMs && one.from === other.from;
}

async function walkOverBoth(progress: Progress, pass: Pass, isOver: () => boolean): Promise<Progress> {
  const begins = progress.walk!;
  pass.tally.open = new OpenCount(pass.engine);
  const walk = { name: "everything" as const, beganMs: begins.beganMs, sinceMs: progress.walkedAtMs };
  const from = await walkPart(pass, walk, { from: START }, isOver);
  const round = seen(begins, pass);
  if (from !== undefined && from < round.from)
    return { ...progress, walk: round, due: leftAt(from, dueRound(pass.nowMs), pass) };
  const whole: EverythingRound = { ...round, isDueVisited: true };
  if (from !== undefined) return { ...progress, due: undefined, walk: { ...whole, from } };
  allowExpiry(whole, pass);
  return { ...walked(progress, pass), due: undefined };
}

/** Notes in the round that an extension of this pass has failed: the next walk repeats it. */
function seen(round: EverythingRound, { tally }: Pass): EverythingRound {
  return tally.isExtensionMissing ? { ...round, isExtensionMissing: true } : round;
}

/** Saves the beginning and the duration of the finished walk, which decide when the next walk begins (`begun`). */
function walked(progress: Progress, { engine }: Pass): Progress {
  const walkedAtMs = progress.walk!.beganMs;
  const walkTookMs = Math.max(0, engine.clock.nowMs() - walkedAtMs);
  return { ...progress, walkedAtMs, walkTookMs, walk: undefined };
}

/**
 * Lets a sole owner delete what the finished walk proves to belong to no open invocation. A walk that did not visit every entry
 * of the open index, or that could not extend one, proves nothing.
 */
function allowExpiry({ beganMs, notedBeforeMs, isDueVisited, isExtensionMissing }: EverythingRound, { engine }: Pass) {
  if (notedBeforeMs === undefined || isDueVisited !== true || isExtensionMissing === true) return;
  engine.activeInvocations.expirableBeforeMs = expirableBeforeMs(engine.settings, beganMs, notedBeforeMs);
}
