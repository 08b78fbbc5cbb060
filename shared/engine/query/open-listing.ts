/** What is open, told from indexes: what stands in the open index, and of the newest of the listing those that have not ended. */
import type { Nonce } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import { isPresented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { idOf } from "../ledger/index-walk.ts";
import { presentedStatus } from "../operate/inspect.ts";
import { HOLDS, openPk, shardsOf } from "../ledger/item-keys.ts";
import type { ListingBudget } from "../ledger/listing-budget.ts";
import type { ListingEntry, ListingStream } from "./listing-stream.ts";
import { hasExpired, load, type Loaded } from "../ledger/load.ts";
import type { Item } from "../ports/table.ts";
import { shownInOpen } from "../ledger/shown-entries.ts";

/** One invocation as far as indexes show it, or more where it had to be loaded. */
export interface Summary extends ListingEntry {
  readonly status: Presented;
  /** Of what is parked: absent means that it is fixed to none. */
  readonly deploymentId?: string;
  readonly loaded?: Loaded;
}

/** Is always in the open index: whoever makes it so puts it there. */
const PARKED: ReadonlySet<Presented> = new Set(["pending", "backing-off", "suspended", "paused"]);

/** True where the open index alone tells of all that has one of these statuses. */
export function isAllParked(statuses: ReadonlySet<Presented>): boolean {
  return [...statuses].every((status) => PARKED.has(status));
}

const PAGE = 1000;
/** Looked at at a time. */
const TOGETHER = 4;
/** So many in a row that have ended tell that what is older has ended, too. */
const ENOUGH = 8;
/** As many tell it where the journals are so long that the look ends before. */
const FEW = 4;
/** The index may lag behind the table by a moment. */
const LAG_MS = 2_000;

/** Everything in the open index, by id. */
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

/** Tells of one entry how it stands. @returns undefined where it may read no more */
export type Look = (entry: ListingEntry) => Promise<Summary | undefined>;

export interface SettledLook {
  readonly newest: ListingStream;
  readonly open: ReadonlyMap<string, Summary>;
  readonly look: Look;
  /** So many are looked at, at most. */
  readonly looksMax: number;
  /** So many entries are passed on the way, at most. */
  readonly entriesMax: number;
  /** What nobody asks for needs no look. */
  readonly matters: (entry: ListingEntry) => boolean;
}

export interface Settled {
  /** What was looked at, by id, those that have ended included. Whatever is older has ended. */
  readonly seen: ReadonlyMap<string, Summary>;
  /** The last that was looked at, where the look ended before its time: what is older may be open. */
  readonly unsettledBehind?: string;
}

/**
 * Looks at the newest of the listing that the open index does not show. Those accepted within a lease may be driven without
 * standing there; what waits in a queue for its first driver does not stand there either, and such are the newest. So the
 * look goes back beyond the lease, until eight in a row have ended, or as far as it may.
 */
export async function settled(engine: Engine, how: SettledLook): Promise<Settled> {
  const { newest, open, look, looksMax, entriesMax, matters } = how;
  const youngMs = engine.clock.nowMs() - engine.settings.leaseMs - LAG_MS;
  const seen = new Map<string, Summary>();
  let [passed, endedInARow, group] = [0, 0, [] as ListingEntry[]];
  let isCut = false;
  const lookTogether = async (): Promise<void> => {
    const found = await Promise.all(group.map(look));
    // Where the first of all cannot be told within what may be read, it is read nevertheless: each page gets on.
    if (seen.size === 0 && group[0] !== undefined) found[0] ??= await summaryByLoading(engine, group[0]);
    const told = found.indexOf(undefined) < 0 ? found.length : found.indexOf(undefined);
    for (const summary of found.slice(0, told)) {
      seen.set(summary!.id, summary!);
      endedInARow = summary!.status === "completed" ? endedInARow + 1 : 0;
    }
    isCut = told < group.length;
    group = [];
  };
  for await (const entry of newest.entries()) {
    if (isCut || ++passed > entriesMax) break;
    if (open.has(entry.id) || !matters(entry)) continue;
    const isOld = entry.createdAtMs < youngMs;
    if (group.length > 0 && isOld && endedInARow + group.length >= ENOUGH) await lookTogether();
    if (isCut || (isOld && endedInARow >= ENOUGH)) break;
    if (seen.size + group.length >= looksMax) {
      isCut = true;
      break;
    }
    if (group.push(entry) === TOGETHER) await lookTogether();
  }
  if (group.length > 0) {
    const wasCut = isCut;
    await lookTogether();
    isCut ||= wasCut;
  }
  const last = [...seen.values()].at(-1);
  const isUnsettled = isCut && endedInARow < (seen.size < looksMax ? FEW : ENOUGH);
  return { seen, ...(isUnsettled && last !== undefined && { unsettledBehind: last.id }) };
}

/** What has expired since counts as ended. */
export async function summaryByLoading(engine: Engine, entry: ListingEntry): Promise<Summary> {
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
