/** One page of a list under construction: its remaining read budget, and the rows found so far. */
import type { Wanted } from "../../core/query/access.ts";
import type { Engine } from "../engine.ts";
import { StatusProbe } from "./status-probe.ts";
import { shardsOf, ACCEPTANCE_SK, invocationPk } from "../store/item-keys.ts";
import type { ListingBudget } from "./listing-budget.ts";
import { hasExpired, load } from "../store/load.ts";
import { isBehind, type ListPosition } from "./list-position.ts";
import { ListingStream, entryOf, type ListingEntry, type ListingRange } from "./listing-stream.ts";
import { summaryOfLoaded, type Summary } from "./open-listing.ts";
import {
  statusesOf,
  withStatus,
  type Known,
  type ReadStatus,
  type EntryStatus,
  type ListedStatus,
} from "./with-status.ts";
import { isWanted, matters } from "./wanted.ts";

export interface InvocationPage {
  readonly invocations: readonly Summary[];
  /** Present if more may follow: a page whose budget is used up ends before it is full. */
  readonly next?: ListPosition;
}

export interface PageAsked {
  readonly wanted: Wanted;
  readonly order: ListingRange["order"];
  readonly limit: number;
  readonly after: ListPosition | undefined;
  /** True if only invocations with a known pin are wanted. */
  readonly needsDeployment: boolean;
}

/** The read units that looks may cost. Most items cost one, so this is enough for a hundred invocations of several segments. */
const PROBE_UNITS_MAX = 400;
/** The budget in read units for the deployments that the open index does not show. */
const DEPLOYMENTS_MAX = 100;
const LOOKS_TOGETHER = 100;
/**
 * Entries that each shard reads beyond its share: a stream yields the entries of one moment of acceptance together, so it holds
 * back those at the end of a read, because the next read may add entries of the same moment.
 */
const MARGIN = 16;

export class ListPage {
  readonly engine: Engine;
  readonly budget: ListingBudget;
  readonly known: Known;
  readonly asked: PageAsked;
  readonly invocations: Summary[] = [];
  readonly #probe: StatusProbe;
  readonly #deployments: StatusProbe;
  #hasLooked = false;

  constructor(engine: Engine, budget: ListingBudget, known: Known, asked: PageAsked) {
    this.engine = engine;
    this.budget = budget;
    this.known = known;
    this.asked = asked;
    this.#probe = new StatusProbe(engine, PROBE_UNITS_MAX);
    this.#deployments = new StatusProbe(engine, DEPLOYMENTS_MAX);
  }

  get isFull(): boolean {
    return this.invocations.length >= this.asked.limit;
  }

  /** @param first the number of entries in the first read, over all shards @param next the number in each later read */
  stream(range: Pick<ListingRange, "fromMs" | "toMs" | "daysMax">, first: number, next = first): ListingStream {
    const { engine, budget } = this;
    const shards = shardsOf(engine.settings).length;
    const [firstPage = 0, nextPage = 0] = [first, next].map((count) => Math.ceil(count / shards) + MARGIN);
    return new ListingStream(engine, budget, { order: this.asked.order, firstPage, nextPage, ...range });
  }

  /** The entries that come after the position of the page. */
  async *entriesBehind(stream: ListingStream): AsyncGenerator<ListingEntry> {
    const { after, order } = this.asked;
    for await (const entry of stream.entries()) if (isBehind(entry, after, order)) yield entry;
  }

  /**
   * The status of each entry, in the order of the entries; `unread` if the budget of the page is used up.
   * @param mostly `wanted` if most entries become rows; `unwanted` if many looks find few rows
   */
  told(entries: AsyncIterable<ListingEntry>, mostly: "wanted" | "unwanted"): AsyncGenerator<ListedStatus> {
    const { wanted, limit, needsDeployment } = this.asked;
    return withStatus(entries, {
      known: this.known,
      probe: (unknown) => this.#look(unknown),
      isExcluded: (entry) => !matters(entry, wanted),
      isLacking: (open) => needsDeployment && this.#lacksDeployment(open),
      probesTogether: () =>
        mostly === "wanted" ? Math.min(LOOKS_TOGETHER, limit - this.invocations.length) : LOOKS_TOGETHER,
    });
  }

  /** Adds a row if its status passes the filter. */
  take(standing: EntryStatus): void {
    if (typeof standing === "string" || !isWanted(standing, this.asked.wanted)) return;
    if (this.asked.needsDeployment && standing.deploymentId === undefined) return;
    this.invocations.push(standing);
  }

  async #look(entries: readonly ListingEntry[]): Promise<ReadStatus[]> {
    const { open } = this.known;
    const unlisted = entries.filter(({ id }) => !open.has(id));
    const looked = statusesOf(unlisted, await this.#probe.at(unlisted));
    let at = 0;
    const found = entries.map(({ id }) => open.get(id) ?? looked[at++]!);
    const whole = this.asked.needsDeployment ? await this.#withDeployments(found) : found;
    // Every page must advance: if the budget does not cover the first look, the page loads that invocation.
    if (!this.#hasLooked && whole[0] === "unread") whole[0] = await this.#loaded(entries[0]!);
    this.#hasLooked = true;
    return whole;
  }

  async #loaded({ id }: ListingEntry): Promise<Summary | "gone"> {
    const loaded = await load(this.engine, id);
    if (loaded === undefined || hasExpired(loaded, this.engine.clock.nowMs())) return "gone";
    return summaryOfLoaded(this.engine, loaded);
  }

  async #withDeployments(found: readonly ReadStatus[]): Promise<ReadStatus[]> {
    return await Promise.all(found.map((one) => this.#withDeployment(one)));
  }

  /**
   * The row of a running invocation in the open index may be older than the pin and then names no deployment. The first segment
   * shows the pin.
   */
  async #withDeployment(found: ReadStatus): Promise<ReadStatus> {
    if (typeof found === "string" || !this.#lacksDeployment(found)) return found;
    const { id, nonce } = found;
    const deploymentId = await this.#deployments.deploymentOf({ id, nonce });
    if (deploymentId === undefined) return "unread";
    return deploymentId === "none" ? found : { ...found, deploymentId };
  }

  #lacksDeployment({ status, deploymentId, probed, loaded }: Summary): boolean {
    if (deploymentId !== undefined || loaded !== undefined) return false;
    return status === "running" || (probed === true && status !== "completed");
  }
}

type Order = ListingRange["order"];

/** @returns a comparison for sorting; entries of the same moment are sorted by id, in either order */
export function comparison(order: Order): (a: ListingEntry, b: ListingEntry) => number {
  const sign = order === "newest-first" ? -1 : 1;
  return (a, b) => sign * (a.createdAtMs - b.createdAtMs) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Merges the rows of the open index with the entries of the listing that may be open without being in that index. */
export function sorted(found: Summary[], order: Order): Summary[] {
  return found.sort(comparison(order));
}

/**
 * @param rows the rows of the open index, in any order
 * @param young the listing from `known.noted.belowMs` on, in the given order. A caller that also wants the entries of
 *   `unreadEntries`, which are all older, adds them to `rows`, or sorted to the end of a `young` that is newest-first
 */
export async function* mayBeOpen(
  known: Known,
  rows: readonly ListingEntry[],
  young: AsyncIterable<ListingEntry> | undefined,
  order: Order,
): AsyncGenerator<ListingEntry> {
  const compare = comparison(order);
  const standing = rows.toSorted(compare);
  let next = 0;
  for await (const entry of young ?? []) {
    if (known.open.has(entry.id)) continue;
    while (next < standing.length && compare(standing[next]!, entry) < 0) yield standing[next++]!;
    yield entry;
  }
  yield* standing.slice(next);
}

/** The entries of the listing that the sweeper passed but could not read. They are few, so each is read by itself. */
export async function unreadEntries(engine: Engine, { noted, open }: Known): Promise<readonly ListingEntry[]> {
  const left = [...noted.except].filter((id) => !open.has(id));
  const found = await Promise.all(
    left.map((id) => engine.table.get({ pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK })),
  );
  return found
    .filter((item) => item?.["listSk"] !== undefined)
    .map((item) => entryOf(item!))
    .filter(({ createdAtMs }) => createdAtMs < noted.belowMs);
}
