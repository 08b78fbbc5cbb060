/** Reads the open index, which contains the open invocations that were parked, renewed, or noted by the sweeper. */
import type { Nonce } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import { isPresented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { idOf } from "../store/index-walk.ts";
import { presentedStatus } from "../operate/inspect.ts";
import { HOLDS, openPk, shardsOf } from "../store/item-keys.ts";
import type { ListingBudget } from "./listing-budget.ts";
import type { ListingEntry } from "./listing-stream.ts";
import type { Loaded } from "../store/load.ts";
import type { Item } from "../ports/table.ts";
import { shownInOpen } from "./shown-entries.ts";

/** One invocation as the indexes show it; `loaded` is present if it had to be loaded. */
export interface Summary extends ListingEntry {
  readonly status: Presented;
  /** For a parked invocation, absence means that it has no pin. */
  readonly deploymentId?: string;
  readonly loaded?: Loaded;
  /** The status comes from a look at single items, which do not always show the deployment. */
  readonly probed?: true;
}

/** The statuses whose invocations are all in the open index, because the write of the status puts them there. */
const PARKED: ReadonlySet<Presented> = new Set(["pending", "backing-off", "suspended", "paused"]);

/** True if the open index contains every invocation with one of these statuses. */
export function isAllParked(statuses: ReadonlySet<Presented>): boolean {
  return [...statuses].every((status) => PARKED.has(status));
}

const PAGE = 1000;
/** Reads the whole open index. @returns the summaries by id */
export async function openSummaries(engine: Engine, budget: ListingBudget): Promise<Map<string, Summary>> {
  const { settings } = engine;
  const shards = shardsOf(settings).map((shard) => openPk(settings.keyPrefix, shard));
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
    for (const item of await shownInOpen(engine, items)) summaries.push(summaryOf(item));
    if (next === undefined) return summaries;
    after = next;
  }
}

function summaryOf(item: Item): Summary {
  const { service, handler, objectKey, createdAtMs, status, deploymentId } = item as Record<string, unknown>;
  const word = String(status);
  return {
    id: idOf(item),
    nonce: item.sk.slice(HOLDS.length) as Nonce,
    service: String(service),
    handler: String(handler),
    createdAtMs: Number(createdAtMs ?? 0),
    status: isPresented(word) ? word : "running",
    ...(typeof objectKey === "string" && { key: objectKey }),
    ...(typeof deploymentId === "string" && { deploymentId }),
  };
}

export function ended(entry: ListingEntry): Summary {
  return { ...entry, status: "completed" };
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
