/** What is open, told from indexes: what stands in the open index, and of the newest of the listing those that have not ended. */
import type { Presented } from "../core/query/status-words.ts";
import { isPresented } from "../core/query/status-words.ts";
import type { Engine } from "./engine.ts";
import { idOf } from "./index-walk.ts";
import { presentedStatus } from "./inspect.ts";
import { INDEX_SHARDS, openPk } from "./item-keys.ts";
import type { ListingBudget } from "./listing-budget.ts";
import type { ListingEntry, ListingStream } from "./listing-stream.ts";
import { hasExpired, load, type Loaded } from "./load.ts";
import type { Item } from "./ports/table.ts";

/** One invocation as far as indexes show it, or more where it had to be loaded. */
export interface Summary extends ListingEntry {
  readonly status: Presented;
  /** Of what is parked: absent means that it is fixed to none. */
  readonly deploymentId?: string;
  readonly loaded?: Loaded;
}

const PAGE = 1000;
/** Loaded at a time, to see whether they have ended. */
const TOGETHER = 8;
/** The index may lag behind the table by a moment. */
const LAG_MS = 2_000;

/** Everything in the open index, by id. */
export async function openSummaries(engine: Engine, budget: ListingBudget): Promise<Map<string, Summary>> {
  const shards = Array.from({ length: INDEX_SHARDS }, (_, shard) => openPk(engine.settings.keyPrefix, shard));
  const found = await Promise.all(shards.map((pk) => openShard(engine, budget, pk)));
  const known = new Map<string, Summary>();
  for (const summary of found.flat()) known.set(summary.id, summary);
  return known;
}

async function openShard(engine: Engine, budget: ListingBudget, pk: string): Promise<readonly Summary[]> {
  const summaries: Summary[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await engine.table.queryIndex("open", pk, {
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    budget.entries(items.length);
    for (const item of items) summaries.push(summaryOf(item));
    if (next === undefined) return summaries;
    after = next;
  }
}

function summaryOf(item: Item): Summary {
  const { service, handler, objectKey, createdAtMs, status, deploymentId } = item as Record<string, unknown>;
  const word = String(status);
  return {
    id: idOf(item),
    service: String(service),
    handler: String(handler),
    createdAtMs: Number(createdAtMs ?? 0),
    status: isPresented(word) ? word : "running",
    ...(typeof objectKey === "string" && { key: objectKey }),
    ...(typeof deploymentId === "string" && { deploymentId }),
  };
}

export interface Settled {
  /** What was looked at, by id, those that have ended included. Whatever is older has ended. */
  readonly seen: ReadonlyMap<string, Summary>;
  /** The last that was looked at, where the budget ended the look: what is older may be open. */
  readonly unsettledBehind?: string;
}

/**
 * Looks at the newest of the listing that the open index does not show. Those accepted within a lease may be driven without
 * standing there; what waits in a queue for its first driver does not stand there either, and such are the newest. So the
 * look goes back beyond the lease, until eight in a row have ended, or so many were looked at as the budget allows.
 */
export async function settled(
  engine: Engine,
  budget: ListingBudget,
  newest: ListingStream,
  open: ReadonlyMap<string, Summary>,
  isPassed: (entry: ListingEntry) => boolean = () => false,
): Promise<Settled> {
  const youngMs = engine.clock.nowMs() - engine.settings.leaseMs - LAG_MS;
  const seen = new Map<string, Summary>();
  let group: ListingEntry[] = [];
  let endedInARow = 0;
  const look = async (): Promise<void> => {
    budget.loads(group.length);
    for (const summary of await Promise.all(group.map((entry) => summaryByLoading(engine, entry)))) {
      seen.set(summary.id, summary);
      endedInARow = summary.status === "completed" ? endedInARow + 1 : 0;
    }
    group = [];
  };
  for await (const entry of newest.entries()) {
    if (open.has(entry.id) || isPassed(entry)) continue;
    if (seen.size + group.length >= budget.limits.settledMax) break;
    if (group.length > 0 && entry.createdAtMs < youngMs && endedInARow + group.length >= TOGETHER) await look();
    if (entry.createdAtMs < youngMs && endedInARow >= TOGETHER) break;
    if (group.push(entry) === TOGETHER) await look();
  }
  await look();
  const last = group.at(-1) ?? [...seen.values()].at(-1);
  const isUnsettled = seen.size >= budget.limits.settledMax && endedInARow < TOGETHER;
  return { seen, ...(isUnsettled && last !== undefined && { unsettledBehind: last.id }) };
}

/** What has expired since counts as ended. */
async function summaryByLoading(engine: Engine, entry: ListingEntry): Promise<Summary> {
  const loaded = await load(engine, entry.id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return { ...entry, status: "completed" };
  return summaryOfLoaded(engine, loaded);
}

export function summaryOfLoaded(engine: Engine, loaded: Loaded): Summary {
  const { acceptance, pin } = loaded.invocation;
  const { service, handler, key } = acceptance.target;
  return {
    id: acceptance.id,
    service,
    handler,
    createdAtMs: acceptance.createdAtMs,
    status: presentedStatus(engine, loaded),
    loaded,
    ...(key !== undefined && { key }),
    ...(pin && { deploymentId: pin.deploymentId }),
  };
}
