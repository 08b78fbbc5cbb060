/**
 * Reads one page of the list of invocations, newest first, from the indexes and by looks at young entries. An entry of the
 * listing is young until the sweeper's progress has passed it (ADR 0013).
 */
import { isNarrowed, planInvocations } from "../../core/query/access.ts";
import type { Bound } from "../../core/query/narrowing.ts";
import { PRESENTED, type Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { ListingBudget, type ListingLimits } from "./listing-budget.ts";
import { type InvocationPage, ListPage } from "./list-page.ts";
import { behindMoment, isBehind, type ListPosition, positionOf } from "./list-position.ts";
import { FIRST_DAYS, LATER_DAYS, type ListingEntry, type ListingStream } from "./listing-stream.ts";
import { openPage } from "./open-page.ts";
import { OPEN_READ_MAX, readKnown } from "./with-status.ts";

export interface InvocationFilter {
  readonly statuses?: readonly Presented[];
  readonly services?: readonly string[];
  readonly handlers?: readonly string[];
  readonly keys?: readonly string[];
  /** Allowed only with open statuses, because no index shows the deployment of a completed invocation (`listByDetails`). */
  readonly deployments?: readonly string[];
  /** The moments of acceptance, inclusive. */
  readonly created?: { readonly fromMs?: number; readonly toMs?: number };
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

/** @throws UnlistableError; SqlError if more invocations are open than the budget allows */
export async function listInvocations(
  engine: Engine,
  filter: InvocationFilter,
  limit: number,
  after?: ListPosition,
): Promise<InvocationPage> {
  const { access, wanted } = planInvocations(narrowingOf(filter), "presented");
  const needsDeployment = filter.deployments !== undefined;
  if (access.kind !== "open" && access.kind !== "listing") return { invocations: [] };
  if (access.kind === "listing" && needsDeployment)
    throw new UnlistableError(
      "ended invocations cannot be listed by their deployment; add status=open, or ask POST /query with an id",
    );
  const budget = new ListingBudget(PAGE_LIMITS);
  const known = await readKnown(engine, budget, access.kind === "open" ? undefined : OPEN_READ_MAX);
  const page = new ListPage(engine, budget, known, { wanted, limit, after, needsDeployment });
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
  for await (const { entry, status } of page.told(entriesBehind(stream, after), "wanted")) {
    if (status === "unread" && reached !== undefined) return { invocations, next: reached };
    page.take(status);
    reached = positionOf(entry);
    if (page.isFull || ++lookedAt >= LOOKED_AT_MAX) return { invocations, next: reached };
  }
  const { stoppedAtMs } = stream;
  return { invocations, ...(stoppedAtMs !== undefined && { next: behindMoment(stoppedAtMs) }) };
}

async function* entriesBehind(stream: ListingStream, after: ListPosition | undefined): AsyncGenerator<ListingEntry> {
  for await (const entry of stream.entries()) if (isBehind(entry, after)) yield entry;
}

function narrowingOf({
  statuses,
  services,
  handlers,
  keys,
  deployments,
  created,
}: InvocationFilter): Map<string, Bound> {
  const bounds = new Map<string, Bound>(created === undefined ? [] : [["created_at", created]]);
  const narrow = (column: string, values: readonly string[] | undefined): void => {
    if (values !== undefined && values.length > 0) bounds.set(column, { in: values });
  };
  narrow("status", statuses);
  narrow("target_service_name", services);
  narrow("target_handler_name", handlers);
  narrow("target_service_key", keys);
  narrow("pinned_deployment_id", deployments);
  return bounds;
}

export const OPEN_STATUSES: readonly Presented[] = PRESENTED.filter((status) => status !== "completed");
