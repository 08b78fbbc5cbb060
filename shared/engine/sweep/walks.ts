/** The five walks of a pass. */
import { abandon, lookAtListed } from "./listing-looks.ts";
import { wakeOrNote } from "./looks.ts";
import { type IndexPosition, START, behind, idAt } from "../store/index-walk.ts";
import { ACCEPTANCE_SK, invocationPk, placeAt } from "../store/item-keys.ts";
import type {
  FailedLook,
  UnfinishedDue,
  UnfinishedEverything,
  OrderedWalks,
  Progress,
  UnfinishedWalk,
} from "./progress.ts";
import { type Pass, type PassWalk, type Walk, walkOnce, walkPart } from "./walk.ts";
import { expirableBeforeMs } from "../store/ttl.ts";
import { OpenCount } from "./counts.ts";
import { DAY_MS } from "../../core/model/time-units.ts";

export const TRIES_MAX = 20;

/** Passes each entry once, when it is old enough, and notes open invocations in the open index. */
export const listingWalk: PassWalk = {
  isLeft: ({ progress }, { listedBelow, counts }) => !counts.isStuck && progress.listedFrom < listedBelow,
  async goOn(saved, pass, isOver) {
    const { walk, range } = listingWalk.remaining(saved, pass);
    const { from, again } = await walkOnce(pass, walk, range, saved.progress.again, isOver);
    return { ...saved, progress: { ...saved.progress, again, listedFrom: from ?? pass.listedBelow } };
  },
  remaining: ({ progress, ordered }, { listedBelow, nowMs }) => ({
    walk: { name: "listing" as const, beganMs: nowMs },
    range: { from: progress.listedFrom, below: listedBelow },
    saved: { ordered, progress: { ...progress, listedFrom: listedBelow } },
  }),
};

/** Repeats the failed looks once per pass. An entry is given up after `TRIES_MAX` failed looks. */
export async function lookAgain(progress: Progress, pass: Pass): Promise<Progress> {
  const left: FailedLook[] = [];
  for (const { place, tries } of progress.again) {
    if (await isLookedAtAgain(pass, place)) continue;
    if (tries + 1 < TRIES_MAX) left.push({ place, tries: tries + 1 });
    else if (!(await abandon(pass.engine, place, tries))) left.push({ place, tries });
  }
  if (progress.again.length > 0) await pass.guard.clear();
  return { ...progress, again: left };
}

async function isLookedAtAgain(pass: Pass, place: IndexPosition): Promise<boolean> {
  const { table, settings } = pass.engine;
  const key = { pk: invocationPk(settings.keyPrefix, idAt(place)), sk: ACCEPTANCE_SK };
  const item = await table.get(key).catch(() => "unreadable" as const);
  if (item === undefined || item === "unreadable") return item === undefined;
  const look = lookAtListed(pass, { item }, wakeOrNote);
  await pass.guard.mark(look.id, look.phase);
  return await look.run();
}

/**
 * Visits the entries that were due when the walk began. The next walk visits entries that become due later, so that each walk
 * ends.
 */
export const dueWalk: PassWalk = {
  isLeft: ({ progress }) => progress.due !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const unfinished = progress.due!;
    const { walk, range } = dueWalk.remaining(saved, pass);
    const from = await walkPart(pass, walk, range, isOver);
    const beside = progress.walk && seen(progress.walk, pass);
    if (from !== undefined)
      return { ...saved, progress: { ...progress, walk: beside, due: leftAt(from, unfinished, pass) } };
    // If the finished walk began in an earlier pass, this pass begins another walk.
    const due = unfinished.beganMs < pass.nowMs ? newDue(pass.nowMs) : undefined;
    const everything = beside?.beganMs === unfinished.beganMs ? { ...beside, isDueVisited: true as const } : beside;
    return { ...saved, progress: { ...progress, due, walk: everything } };
  },
  remaining: ({ progress, ordered }) => ({
    walk: { name: "due", beganMs: progress.due!.beganMs },
    range: { from: progress.due!.from, below: placeAt(progress.due!.beganMs + 1) },
    saved: { ordered, progress: { ...progress, due: undefined } },
  }),
};

/** Visits the entries that are not due yet: the lease of such an invocation may be over, or its items may need a longer life. */
export const everythingWalk: PassWalk = {
  isLeft: ({ progress }) => progress.walk !== undefined,
  async goOn(saved, pass, isOver) {
    const { progress } = saved;
    if (bothBegin(progress, pass)) return { ...saved, progress: await walkOverBoth(progress, pass, isOver) };
    const { walk, range } = everythingWalk.remaining(saved, pass);
    const from = await walkPart(pass, walk, range, isOver);
    const unfinished = seen(progress.walk!, pass);
    if (from !== undefined) return { ...saved, progress: { ...progress, walk: { ...unfinished, from } } };
    allowExpiry(unfinished, pass);
    return { ...saved, progress: walked(progress, pass) };
  },
  remaining: (saved, pass) => ({
    walk: { name: "everything", beganMs: saved.progress.walk!.beganMs, sinceMs: saved.progress.walkedAtMs },
    range: { from: saved.progress.walk!.from },
    saved: { ...saved, progress: walked(saved.progress, pass) },
  }),
};

export function newDue(nowMs: number): UnfinishedWalk {
  return { beganMs: nowMs, from: START };
}

function leftAt(from: IndexPosition, { beganMs }: UnfinishedWalk, { counts: { dueSinceMs } }: Pass): UnfinishedDue {
  return { beganMs, from, ...(dueSinceMs < Infinity && { sinceMs: dueSinceMs }) };
}

/** @param noted see `UnfinishedEverything`; without it, the end of the walk lets a sole owner delete nothing */
export function newEverything(nowMs: number, noted?: number): UnfinishedEverything {
  return { beganMs: nowMs, from: placeAt(nowMs + 1), ...(noted !== undefined && { notedBeforeMs: noted }) };
}

/** True if both walks begin now. Then one read of the index serves both, which halves the cost if the index is empty. */
function bothBegin({ due, walk }: Progress, { nowMs }: Pass): boolean {
  return isSame(due, newDue(nowMs)) && isSame(walk, newEverything(nowMs));
}

function isSame(one: UnfinishedWalk | undefined, other: UnfinishedWalk): boolean {
  return one?.beganMs === other.beganMs && one.from === other.from;
}

async function walkOverBoth(progress: Progress, pass: Pass, isOver: () => boolean): Promise<Progress> {
  const begins = progress.walk!;
  pass.counts.open = new OpenCount(pass.engine);
  const walk = { name: "everything" as const, beganMs: begins.beganMs, sinceMs: progress.walkedAtMs };
  const from = await walkPart(pass, walk, { from: START }, isOver);
  const unfinished = seen(begins, pass);
  if (from !== undefined && from < unfinished.from)
    return { ...progress, walk: unfinished, due: leftAt(from, newDue(pass.nowMs), pass) };
  const whole: UnfinishedEverything = { ...unfinished, isDueVisited: true };
  if (from !== undefined) return { ...progress, due: undefined, walk: { ...whole, from } };
  allowExpiry(whole, pass);
  return { ...walked(progress, pass), due: undefined };
}

/** Notes in the unfinished walk that an extension of this pass has failed: the next walk repeats it. */
function seen(unfinished: UnfinishedEverything, { counts }: Pass): UnfinishedEverything {
  return counts.isExtensionMissing ? { ...unfinished, isExtensionMissing: true } : unfinished;
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
function allowExpiry(
  { beganMs, notedBeforeMs, isDueVisited, isExtensionMissing }: UnfinishedEverything,
  { engine }: Pass,
) {
  if (notedBeforeMs === undefined || isDueVisited !== true || isExtensionMissing === true) return;
  engine.activeInvocations.expirableBeforeMs = expirableBeforeMs(engine.settings, beganMs, notedBeforeMs);
}

/** Visits every entry of the open index, due or not, and reads its arrivals. */
export const orderedOpenWalk: PassWalk = {
  isLeft: ({ ordered }, { counts }) => !counts.isStuck && ordered?.openFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, range } = orderedOpenWalk.remaining(saved, pass);
    if (range.from === START) pass.counts.orderedOpen = new OpenCount(pass.engine);
    const ordered = saved.ordered!;
    const { from, again } = await walkOnce(pass, walk, range, ordered.openAgain ?? [], isOver);
    return { ...saved, ordered: { ...ordered, openFrom: from, openAgain: again } };
  },
  remaining: ({ progress, ordered }) => ({
    walk: { name: "ordered-open", beganMs: ordered!.beganMs },
    range: { from: ordered!.openFrom! },
    saved: { progress, ordered: { ...ordered!, openFrom: undefined } },
  }),
};

/** Passes the whole listing, from its oldest entry on. */
export const orderedListingWalk: PassWalk = {
  isLeft: ({ ordered }, { counts }) => !counts.isStuck && ordered?.listedFrom !== undefined,
  async goOn(saved, pass, isOver) {
    const { walk, range } = orderedListingWalk.remaining(saved, pass);
    const ordered = saved.ordered!;
    const { from, again } = await walkOnce(pass, walk, range, ordered.listedAgain ?? [], isOver);
    return { ...saved, ordered: { ...ordered, listedFrom: from, listedAgain: again } };
  },
  remaining: ({ progress, ordered }) => ({
    walk: { name: "ordered-listing", beganMs: ordered!.beganMs },
    range: { from: ordered!.listedFrom!, below: placeAt(ordered!.beganMs + DAY_MS) },
    saved: { progress, ordered: { ...ordered!, listedFrom: undefined } },
  }),
};

/** Repeats the failed looks of the order once per pass. */
export async function lookAgainOrdered(ordered: OrderedWalks, pass: Pass): Promise<OrderedWalks> {
  const { beganMs, openAgain = [], listedAgain = [] } = ordered;
  if (openAgain.length + listedAgain.length === 0) return ordered;
  const left = { openAgain: [] as FailedLook[], listedAgain: [] as FailedLook[] };
  for (const { place, tries } of openAgain) {
    if (await isPassedAgain(pass, { name: "ordered-open", beganMs }, place)) continue;
    // The entry stays in the open index, where the other walks find it.
    if (tries + 1 < TRIES_MAX) left.openAgain.push({ place, tries: tries + 1 });
  }
  for (const { place, tries } of listedAgain) {
    if (await isPassedAgain(pass, { name: "ordered-listing", beganMs }, place)) continue;
    if (tries + 1 < TRIES_MAX) left.listedAgain.push({ place, tries: tries + 1 });
    else if (!(await abandon(pass.engine, place, tries))) left.listedAgain.push({ place, tries });
  }
  return { ...ordered, ...left };
}

/** Visits the one entry at the place. An entry of the open index that is not there any more was looked at or driven since. */
async function isPassedAgain(pass: Pass, walk: Walk, place: IndexPosition): Promise<boolean> {
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
