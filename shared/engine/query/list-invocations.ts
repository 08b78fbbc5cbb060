/** One page of the list of invocations, newest first, told from indexes alone (ADR 0013). */
import { isNarrowed, planInvocations, type Wanted } from "../../core/query/access.ts";
import type { Bound } from "../../core/query/narrowing.ts";
import { PRESENTED, type Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { Glances } from "./glance.ts";
import { shardsOf } from "../ledger/item-keys.ts";
import { ListingBudget, type ListingLimits } from "../ledger/listing-budget.ts";
import { type ListingEntry, ListingStream } from "./listing-stream.ts";
import { isAllParked, openSummaries, settled, type SettledLook, type Summary } from "./open-listing.ts";
import { ended, isWanted, matters, sorted } from "./query-invocations.ts";

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

const PAGE_LIMITS: ListingLimits = { entriesMax: 100_000, loadsMax: Infinity, settledMax: 16 };
/** Of the listing, some forty to a read unit: more than that is left to the next page. */
const LOOKED_AT_MAX = 400;
/** Asked for beside what a page may need, because those of one moment are told together. */
const MARGIN = 16;
/** Read units, most of them for one item each. */
const GLANCES_MAX = 36;
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
    const found = sorted(await allOpen(engine, budget, wanted, filter.deployments !== undefined), "newest-first");
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

async function allOpen(
  engine: Engine,
  budget: ListingBudget,
  wanted: Wanted,
  needsDeployment: boolean,
): Promise<Summary[]> {
  const open = await openSummaries(engine, budget);
  const glances = new Glances(engine, GLANCES_MAX);
  const matching = [...open.values()].filter((summary) => isWanted(summary, wanted));
  const listed = needsDeployment ? await withDeployment(glances, matching) : matching;
  const isTold = (summary: Summary): boolean =>
    isWanted(summary, wanted) && (!needsDeployment || summary.deploymentId !== undefined);
  if (isAllParked(wanted.statuses)) return listed.filter(isTold);
  const newest = new ListingStream(engine, budget, {
    order: "newest-first",
    fromMs: 0,
    toMs: Infinity,
    daysMax: FIRST_DAYS,
    ...pages(engine, LOOKED_AT_MAX),
  });
  const { seen: young } = await settled(engine, { newest, open, ...byGlance(glances, wanted) });
  return [...listed, ...young.values()].filter(isTold);
}

function byGlance(glances: Glances, wanted: Wanted): Omit<SettledLook, "newest" | "open"> {
  return {
    look: async (entry) => {
      const { nonce } = entry;
      const glanced = nonce && (await glances.at({ id: entry.id, nonce }));
      return glanced && { ...entry, ...glanced };
    },
    looksMax: PAGE_LIMITS.settledMax,
    entriesMax: LOOKED_AT_MAX,
    matters: (entry) => matters(entry, wanted),
  };
}

/** What each shard is asked for at first is enough for a whole page, and for a part of it where there are several. */
function pages({ settings }: Engine, count: number): { firstPage: number; nextPage: number } {
  const share = Math.ceil(count / shardsOf(settings).length) + MARGIN;
  return { firstPage: share, nextPage: share };
}

/** The entry of what runs may have been written before it was fixed to a deployment: its first segment tells. */
async function withDeployment(glances: Glances, listed: readonly Summary[]): Promise<Summary[]> {
  return await Promise.all(
    listed.map(async (summary) => {
      const { id, nonce, status } = summary;
      if (summary.deploymentId !== undefined || status !== "running" || nonce === undefined) return summary;
      const deploymentId = await glances.deploymentOf({ id, nonce });
      return deploymentId === undefined ? summary : { ...summary, deploymentId };
    }),
  );
}

async function listed(
  engine: Engine,
  budget: ListingBudget,
  wanted: Wanted,
  limit: number,
  after: ListPosition | undefined,
): Promise<InvocationPage> {
  const isEverything = wanted.statuses.size === PRESENTED.length && !isNarrowed(wanted);
  const stream = new ListingStream(engine, budget, {
    order: "newest-first",
    fromMs: 0,
    toMs: after?.createdAtMs ?? Infinity,
    daysMax: after === undefined ? FIRST_DAYS : LATER_DAYS,
    ...pages(engine, isEverything ? Math.min(limit, LOOKED_AT_MAX) : LOOKED_AT_MAX),
  });
  const open = await openSummaries(engine, budget);
  const look = byGlance(new Glances(engine, GLANCES_MAX), wanted);
  const { seen: young, unsettledBehind } = await settled(engine, {
    ...look,
    newest: stream,
    open,
    entriesMax: isEverything ? Math.min(limit, LOOKED_AT_MAX) : LOOKED_AT_MAX,
    matters: (entry) => look.matters(entry) && (after === undefined || isAfter(entry, after)),
  });
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
