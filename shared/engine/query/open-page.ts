/** One page of what is open: the rows of the open index, and by a look the open ones at the young end of the listing. */
import { FIRST_DAYS, LATER_DAYS, type ListingEntry } from "./listing-stream.ts";
import type { InvocationPage, ListPage } from "./list-page.ts";
import { behindMoment, isBehind, type ListPosition, positionOf } from "./list-position.ts";
import { comparison, mayBeOpen, unreadEntries } from "./may-be-open.ts";
import { isAllParked, type Summary } from "./open-listing.ts";

/** Entries of the young listing that one page passes, some forty to a read unit. */
const PASSED_MAX = 1_300;
/** Asked for at first: mostly the looks end before. */
const FIRST = 400;

/**
 * The newest first. Where a page may look no further, it goes on with the rows of the open index, which cost nothing more
 * and where everything stands that has been stuck for long. The pages behind it look at the rest, so that no page leaves
 * anything out in silence.
 */
export async function openPage(page: ListPage): Promise<InvocationPage> {
  const { after, wanted } = page.asked;
  const rows = [...page.known.open.values()];
  if (isAllParked(wanted.statuses)) return pageOf(page, (await walk(page, rows, undefined, after))?.reached);
  if (after?.part === "young") return await restOfYoung(page, after);
  if (after?.part === "index") {
    const walked = await walk(page, rows, undefined, after);
    if (walked === undefined) return await restOfYoung(page, after.young!);
    return pageOf(page, { ...walked.reached, part: "index", young: after.young! });
  }
  const young = new YoungEntries(page, after);
  const walked = await walk(page, rows, young, after);
  if (walked === undefined) return pageOf(page, young.cutAt && { ...young.cutAt, part: "young" });
  if (walked.isUnread) return await restOfRows(page, rows, walked.reached);
  const isBehindCut = young.cutAt !== undefined && isBehind(walked.reached, young.cutAt);
  return pageOf(page, isBehindCut ? { ...walked.reached, part: "index", young: young.cutAt! } : walked.reached);
}

/** The page has looked as far as it may. */
async function restOfRows(page: ListPage, rows: readonly Summary[], young: ListPosition): Promise<InvocationPage> {
  const walked = await walk(page, rows, undefined, young);
  const next =
    walked === undefined ? { ...young, part: "young" as const } : { ...walked.reached, part: "index" as const, young };
  return pageOf(page, next);
}

/** Pages before have given what stands in the open index. */
async function restOfYoung(page: ListPage, after: ListPosition): Promise<InvocationPage> {
  const young = new YoungEntries(page, after);
  const next = (await walk(page, [], young, after))?.reached ?? young.cutAt;
  return pageOf(page, next && { ...positionOf(next), part: "young" });
}

/** @returns undefined at the end */
async function walk(
  page: ListPage,
  rows: readonly Summary[],
  young: YoungEntries | undefined,
  after: ListPosition | undefined,
): Promise<{ readonly reached: ListPosition; readonly isUnread: boolean } | undefined> {
  const left = rows.filter((row) => isBehind(row, after));
  let reached = after;
  const entries = mayBeOpen(page.known, left, young?.entries(), "newest-first");
  for await (const { entry, standing } of page.told(entries, "unwanted")) {
    const isUnread = standing === "unread";
    if (reached !== undefined && (isUnread || page.isFull)) return { reached: positionOf(reached), isUnread };
    page.take(standing);
    reached = entry;
    // Going on would cost looks that serve no row of this page.
    if (page.isFull && young !== undefined) return { reached: positionOf(reached), isUnread };
  }
  return undefined;
}

/** Of the listing, behind a position, what is younger than the sweeper's progress, as far as one page may pass. */
class YoungEntries {
  readonly #page: ListPage;
  readonly #after: ListPosition | undefined;
  /** Where they ended before the listing did. */
  cutAt: ListPosition | undefined;

  constructor(page: ListPage, after: ListPosition | undefined) {
    this.#page = page;
    this.#after = after;
  }

  async *entries(): AsyncGenerator<ListingEntry> {
    const { engine, known } = this.#page;
    const after = this.#after;
    // Where the sweeper has stood still for days, the pages after this one go on with the days before.
    const daysMax = after?.part === "young" ? LATER_DAYS : FIRST_DAYS;
    const range = { fromMs: known.noted.belowMs, toMs: after?.createdAtMs ?? Infinity, daysMax };
    const stream = this.#page.stream(range, FIRST, PASSED_MAX - FIRST);
    let passed = 0;
    for await (const entry of stream.entries()) {
      if (!isBehind(entry, after)) continue;
      yield entry;
      if (++passed < PASSED_MAX) continue;
      this.cutAt = positionOf(entry);
      return;
    }
    if (stream.stoppedAtMs !== undefined) {
      this.cutAt = behindMoment(stream.stoppedAtMs);
      return;
    }
    const unread = await unreadEntries(engine, known);
    yield* unread.filter((entry) => isBehind(entry, after)).toSorted(comparison("newest-first"));
  }
}

function pageOf({ invocations }: ListPage, next: ListPosition | undefined): InvocationPage {
  return { invocations, ...(next !== undefined && { next }) };
}
