/** One page of the list of invocations, newest first, told from indexes alone (ADR 0013). */
import { planInvocations, type Wanted } from "../core/query/access.ts";
import type { Bound } from "../core/query/narrowing.ts";
import { PRESENTED, type Presented } from "../core/query/status-words.ts";
import type { Engine } from "./engine.ts";
import { ListingBudget, type ListingLimits } from "./listing-budget.ts";
import { type ListingEntry, ListingStream } from "./listing-stream.ts";
import { load } from "./load.ts";
import { openSummaries, settled, summaryOfLoaded, type Summary } from "./open-listing.ts";
import { allOpen, ended, isWanted, sorted } from "./query-invocations.ts";

export interface InvocationFilter {
  readonly statuses?: readonly Presented[];
  readonly services?: readonly string[];
  readonly handlers?: readonly string[];
  readonly keys?: readonly string[];
  /** Only together with statuses of what is open: an index does not know the deployment of what has ended. */
  readonly deployments?: readonly string[];
}

/** Everything up to and including it was given, or looked at and passed over. */
export interface ListPosition {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface InvocationPage {
  readonly invocations: readonly Summary[];
  /** Present where more may follow: a page that looked at enough ends before it is full. */
  readonly next?: ListPosition;
}

/** What is asked for cannot be told from indexes. */
export class UnlistableError extends Error {
  override name = "UnlistableError";
}

/** Of the two indexes; the listing is read in two rounds of eight pages a day, which is some twenty read units. */
const PAGE_LIMITS: ListingLimits = { entriesMax: 100_000, loadsMax: Infinity, settledMax: 16 };
const PAGES = { firstPage: 34, nextPage: 64 };
const LOOKED_AT_MAX = 400;
/** A first page looks at today and yesterday; pages after it go back until there is something. */
const FIRST_DAYS = 2;
const LATER_DAYS = 32;

/** @throws UnlistableError, and SqlError where more is open than can be listed */
export async function listInvocations(
  engine: Engine,
  filter: InvocationFilter,
  limit: number,
  after?: ListPosition,
): Promise<InvocationPage> {
  const { access, wanted } = planInvocations(narrowingOf(filter), "presented");
  const budget = new ListingBudget(PAGE_LIMITS);
  if (access.kind === "open") {
    const all = await allOpen({ engine, budget }, wanted);
    const found = sorted(
      filter.deployments === undefined ? all : await ofDeployments(engine, all, wanted),
      "newest-first",
    );
    const rest = after === undefined ? found : found.filter((summary) => isAfter(summary, after));
    return pageOf(rest.slice(0, limit), rest.length > limit);
  }
  if (access.kind !== "listing") return { invocations: [] };
  if (filter.deployments !== undefined)
    throw new UnlistableError(
      "what has ended cannot be listed by its deployment; add status=open, or ask POST /query with an id",
    );
  return await listed(engine, budget, wanted, limit, after);
}

/** The entry of what runs may have been written before it was fixed to a deployment: its journal tells. */
async function ofDeployments(engine: Engine, all: readonly Summary[], wanted: Wanted): Promise<Summary[]> {
  const untold = all.filter(({ status, deploymentId }) => status === "running" && deploymentId === undefined);
  const looked = await Promise.all(untold.slice(0, PAGE_LIMITS.settledMax).map(({ id }) => load(engine, id)));
  const told = looked.filter((loaded) => loaded !== undefined).map((loaded) => summaryOfLoaded(engine, loaded));
  const fixed = [...all.filter((summary) => !untold.includes(summary)), ...told];
  return fixed.filter((summary) => summary.deploymentId !== undefined && isWanted(summary, wanted));
}

async function listed(
  engine: Engine,
  budget: ListingBudget,
  wanted: Wanted,
  limit: number,
  after: ListPosition | undefined,
): Promise<InvocationPage> {
  const stream = new ListingStream(engine, budget, {
    order: "newest-first",
    fromMs: 0,
    toMs: after?.createdAtMs ?? Infinity,
    daysMax: after === undefined ? FIRST_DAYS : LATER_DAYS,
    ...PAGES,
  });
  const open = await openSummaries(engine, budget);
  const { seen: young, unsettledBehind } = await settled(
    engine,
    budget,
    stream,
    open,
    (entry) => after !== undefined && !isAfter(entry, after),
  );
  const invocations: Summary[] = [];
  let lookedAt = 0;
  for await (const entry of stream.entries()) {
    if (after !== undefined && !isAfter(entry, after)) continue;
    const summary = open.get(entry.id) ?? young.get(entry.id) ?? ended(entry);
    if (isWanted(summary, wanted)) invocations.push(summary);
    const isEnough = invocations.length >= limit || ++lookedAt >= LOOKED_AT_MAX;
    // Under a backlog the next page looks on.
    if (isEnough || entry.id === unsettledBehind) return { invocations, next: positionOf(entry) };
  }
  const { stoppedAtMs } = stream;
  // Below every id of that moment, which is of the day that was read last.
  return { invocations, ...(stoppedAtMs !== undefined && { next: { createdAtMs: stoppedAtMs, id: "~" } }) };
}

function pageOf(invocations: readonly Summary[], isMore: boolean): InvocationPage {
  const last = invocations.at(-1);
  return { invocations, ...(isMore && last !== undefined && { next: positionOf(last) }) };
}

function positionOf({ createdAtMs, id }: ListingEntry): ListPosition {
  return { createdAtMs, id };
}

/** Newest first, those of one moment by their ids. */
function isAfter({ createdAtMs, id }: ListingEntry, after: ListPosition): boolean {
  return createdAtMs < after.createdAtMs || (createdAtMs === after.createdAtMs && id > after.id);
}

function narrowingOf({ statuses, services, handlers, keys, deployments }: InvocationFilter): Map<string, Bound> {
  const bounds = new Map<string, Bound>();
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
