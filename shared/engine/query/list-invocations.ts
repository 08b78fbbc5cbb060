/**
 * Reads one page of the list of invocations from the indexes and by looks at young entries. An entry of the
 * listing is young until the sweeper's progress has passed it (ADR 0013).
 */
import { isNarrowed, planInvocations } from "../../core/query/access.ts";
import type { Narrowing } from "../../core/query/narrowing.ts";
import { PRESENTED, type Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { ListingBudget, type ListingLimits } from "./listing-budget.ts";
import { ListPage, comparison, mayBeOpen, unreadEntries, type InvocationPage } from "./list-page.ts";
import { behindMoment, positionOf, isBehind, type ListPosition } from "./list-position.ts";
import { FIRST_DAYS, LATER_DAYS, type ListingRange, type ListingEntry } from "./listing-stream.ts";
import { OPEN_READ_MAX, readKnown } from "./with-status.ts";
import { isAllParked, type Summary } from "./open-listing.ts";

/** The page of a list: at most `limit` rows behind the position `after`. */
export interface PageChoice {
  readonly limit: number;
  readonly after?: ListPosition | undefined;
  /** `oldest-first` is allowed only with open statuses, because only open invocations have an index that begins with the oldest. */
  readonly order?: ListingRange["order"] | undefined;
}

/** The indexes cannot answer the filter. */
export class UnlistableError extends Error {
  override name = "UnlistableError";
}

const PAGE_LIMITS: ListingLimits = {
  entriesMax: 100_000,
  loadsMax: Infinity,
  looksMax: Infinity,
  journalMaxBytes: Infinity,
  pagesMax: 0,
};
/** The most listing entries that one page visits (about 40 per read unit). The next page continues after the last entry. */
const LOOKED_AT_MAX = 400;

/**
 * @param narrowing bounds on columns of `sys_invocation`; on `pinned_deployment_id` only with open statuses, because no index
 *   shows the deployment of a completed invocation (`listByDetails`)
 * @throws UnlistableError; SqlError if more invocations are open than the budget allows
 */
export async function listInvocations(
  engine: Engine,
  narrowing: Narrowing,
  { limit, after, order = "newest-first" }: PageChoice,
): Promise<InvocationPage> {
  const { access, wanted } = planInvocations(narrowing, "presented");
  const needsDeployment = narrowing.has("pinned_deployment_id");
  if (access.kind !== "open" && access.kind !== "listing") return { invocations: [] };
  if (access.kind === "listing" && needsDeployment)
    throw new UnlistableError(
      "ended invocations cannot be listed by their deployment; add status=open, or ask POST /query with an id",
    );
  if (access.kind === "listing" && order === "oldest-first")
    throw new UnlistableError("only open invocations can be listed with the oldest first; add status=open");
  const budget = new ListingBudget(PAGE_LIMITS);
  const known = await readKnown(engine, budget, access.kind === "open" ? undefined : OPEN_READ_MAX);
  const page = new ListPage(engine, budget, known, { wanted, limit, after, order, needsDeployment });
  return access.kind === "open" ? await openPage(page) : await listed(page, access);
}

async function listed(page: ListPage, within: { fromMs: number; toMs: number }): Promise<InvocationPage> {
  const { wanted, limit, after } = page.asked;
  const isEverything = wanted.statuses.size === PRESENTED.length && !isNarrowed(wanted);
  const daysMax = after === undefined ? FIRST_DAYS : LATER_DAYS;
  const range = { fromMs: within.fromMs, toMs: Math.min(after?.createdAtMs ?? Infinity, within.toMs), daysMax };
  const stream = page.stream(range, isEverything ? Math.min(limit, LOOKED_AT_MAX) : LOOKED_AT_MAX);
  const { invocations } = page;
  let lookedAt = 0;
  let reached = after;
  for await (const { entry, status } of page.told(page.entriesBehind(stream), "wanted")) {
    if (status === "unread" && reached !== undefined) return { invocations, next: reached };
    page.take(status);
    reached = positionOf(entry);
    if (page.isFull || ++lookedAt >= LOOKED_AT_MAX) return { invocations, next: reached };
  }
  const { stoppedAtMs } = stream;
  return { invocations, ...(stoppedAtMs !== undefined && { next: behindMoment(stoppedAtMs) }) };
}

export const OPEN_STATUSES: readonly Presented[] = PRESENTED.filter((status) => status !== "completed");

/** The limit of the young entries of the listing that one page passes; about forty of them cost one read unit. */
const PASSED_MAX = 1_300;
/** The number of entries in the first read; mostly the budget of looks is used up within these entries. */
const FIRST = 400;

/**
 * Lists the newest first. A page that has used up its looks goes on with the rows of the open index alone, which cost no
 * further read and include every invocation that has been stuck for long. Later pages look at the young entries that are
 * left, so the whole list is complete.
 */
async function openPage(page: ListPage): Promise<InvocationPage> {
  const { after, order, wanted } = page.asked;
  const rows = [...page.known.open.values()];
  if (isAllParked(wanted.statuses)) return pageOf(page, (await walk(page, rows, undefined, after))?.reached);
  if (order === "oldest-first") return await oldestPage(page, rows);
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

/**
 * Lists the oldest first. Most rows of the open index are older than the young entries, so they come first, and a page that has
 * used up its looks ends there: the next one goes on with the young entries behind them.
 */
async function oldestPage(page: ListPage, rows: readonly Summary[]): Promise<InvocationPage> {
  const { engine, known } = page;
  const { after, wanted } = page.asked;
  const unread = await unreadEntries(engine, known);
  const fromMs = Math.max(known.noted.belowMs, after?.createdAtMs ?? 0);
  const stream = page.stream({ fromMs, toMs: wanted.created?.toMs ?? Infinity }, FIRST, PASSED_MAX - FIRST);
  const young = { entries: () => page.entriesBehind(stream) };
  return pageOf(page, (await walk(page, [...rows, ...unread], young, after))?.reached);
}

/** Goes on with the rows alone, after the page has used up its looks. */
async function restOfRows(page: ListPage, rows: readonly Summary[], young: ListPosition): Promise<InvocationPage> {
  const walked = await walk(page, rows, undefined, young);
  const next =
    walked === undefined ? { ...young, part: "young" as const } : { ...walked.reached, part: "index" as const, young };
  return pageOf(page, next);
}

/** Goes on with the young entries; earlier pages have listed the rows of the open index. */
async function restOfYoung(page: ListPage, after: ListPosition): Promise<InvocationPage> {
  const young = new YoungEntries(page, after);
  const next = (await walk(page, [], young, after))?.reached ?? young.cutAt;
  return pageOf(page, next && { ...positionOf(next), part: "young" });
}

/** @returns undefined if the walk came to the end */
async function walk(
  page: ListPage,
  rows: readonly ListingEntry[],
  young: { readonly entries: () => AsyncIterable<ListingEntry> } | undefined,
  after: ListPosition | undefined,
): Promise<{ readonly reached: ListPosition; readonly isUnread: boolean } | undefined> {
  const { order } = page.asked;
  const left = rows.filter((row) => isBehind(row, after, order));
  let reached = after;
  // Newest first, the young entries have a bound of their own, behind which the rows go on.
  let youngLeft = order === "newest-first" ? Infinity : PASSED_MAX;
  const entries = mayBeOpen(page.known, left, young?.entries(), order);
  for await (const { entry, status } of page.told(entries, "unwanted")) {
    const isUnread = status === "unread";
    if (reached !== undefined && (isUnread || page.isFull || youngLeft === 0))
      return { reached: positionOf(reached), isUnread };
    page.take(status);
    reached = entry;
    if (!page.known.open.has(entry.id)) youngLeft--;
    // The page is full, so looks at further entries would be wasted.
    if (page.isFull && young !== undefined) return { reached: positionOf(reached), isUnread };
  }
  return undefined;
}

/**
 * The young entries after a position, up to a bound per page: the sweeper has not reached these entries of the listing, or could
 * not read them.
 */
class YoungEntries {
  readonly #page: ListPage;
  readonly #after: ListPosition | undefined;
  /** Where the bound of the page stopped the entries; undefined if they came to the end of the listing. */
  cutAt: ListPosition | undefined;

  constructor(page: ListPage, after: ListPosition | undefined) {
    this.#page = page;
    this.#after = after;
  }

  async *entries(): AsyncGenerator<ListingEntry> {
    const { engine, known } = this.#page;
    const after = this.#after;
    // The first page reads only the last days. If no sweeper has run for longer, later pages read the older young entries.
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
