/** Reads the open index, which contains the open invocations that were parked, renewed, or noted by the sweeper. */
import type { Nonce } from "../../core/model/ids.ts";
import { isPresented, type Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { idOf } from "../store/index-walk.ts";
import { presentedStatus } from "../operate/inspect.ts";
import { HOLDS, openPk, shardsOf } from "../store/item-keys.ts";
import type { ListingBudget } from "./listing-budget.ts";
import type { ListingEntry } from "./listing-stream.ts";
import type { Loaded } from "../store/load.ts";
import type { Item } from "../ports/table.ts";
import { targetIn } from "../store/target-attributes.ts";

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
/** The result of a walk over the open index. */
export interface OpenSummaries {
  readonly byId: ReadonlyMap<string, Summary>;
  /** False if the walk ended before the index did. */
  readonly isWhole: boolean;
}

/**
 * Reads the open index.
 * @param entriesMax the most entries of all shards together
 */
export async function openSummaries(
  engine: Engine,
  budget: ListingBudget,
  entriesMax = Infinity,
): Promise<OpenSummaries> {
  const { settings } = engine;
  const shards = shardsOf(settings).map((shard) => openPk(settings.keyPrefix, shard));
  const ofShard = Math.ceil(entriesMax / shards.length);
  const found = await Promise.all(shards.map((pk) => openShard(engine, budget, pk, ofShard)));
  const byId = new Map<string, Summary>();
  for (const { summaries } of found) for (const summary of summaries) byId.set(summary.id, summary);
  return { byId, isWhole: found.every(({ isWhole }) => isWhole) };
}

async function openShard(
  engine: Engine,
  budget: ListingBudget,
  pk: string,
  entriesMax: number,
): Promise<{ readonly summaries: readonly Summary[]; readonly isWhole: boolean }> {
  const summaries: Summary[] = [];
  let left = entriesMax;
  for (let after: string | undefined; left > 0;) {
    const { items, next } = await engine.table.queryIndex("open", pk, {
      limit: Math.min(PAGE, left),
      ...(after !== undefined && { after }),
    });
    budget.entries(items.length);
    left -= items.length;
    summaries.push(...items.map(summaryOf));
    if (next === undefined) return { summaries, isWhole: true };
    after = next;
  }
  return { summaries, isWhole: false };
}

/** The row of an entry of the open index. */
export function summaryOf(item: Item): Summary {
  const { createdAtMs, status, deploymentId } = item as Record<string, unknown>;
  const word = String(status);
  return {
    ...targetIn(item),
    id: idOf(item),
    nonce: item.sk.slice(HOLDS.length) as Nonce,
    createdAtMs: Number(createdAtMs ?? 0),
    status: isPresented(word) ? word : "running",
    ...(typeof deploymentId === "string" && { deploymentId }),
  };
}

export function ended(entry: ListingEntry): Summary {
  return { ...entry, status: "completed" };
}

export function summaryOfLoaded(engine: Engine, loaded: Loaded): Summary {
  const { acceptance, pin } = loaded.invocation;
  return {
    ...acceptance.target,
    id: acceptance.id,
    nonce: acceptance.nonce,
    createdAtMs: acceptance.createdAtMs,
    status: presentedStatus(engine, loaded),
    loaded,
    ...(pin && { deploymentId: pin.deploymentId }),
  };
}
