/**
 * Reads one page of the list of invocations from the indexes and by looks at young entries. An entry of the
 * listing is young until the sweeper's progress has passed it (ADR 0013).
 */
import { isNarrowed, planInvocations } from "../../core/query/access.ts";
import type { Narrowing } from "../../core/query/narrowing.ts";
import { PRESENTED, type Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { ListingBudget, type ListingLimits } from "./listing-budget.ts";
import { type InvocationPage, ListPage } from "./list-page.ts";
import { behindMoment, type ListPosition, positionOf } from "./list-position.ts";
import { FIRST_DAYS, LATER_DAYS, type ListingRange } from "./listing-stream.ts";
import { openPage } from "./open-page.ts";
import { OPEN_READ_MAX, readKnown } from "./with-status.ts";

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
