/** The listing as one stream by moment of acceptance, merged from the shards of each day (ADR 0033). */
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import { CLOCK_SKEW_MAX_MS, DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { idOf } from "../store/index-walk.ts";
import { listingPk, momentRange, shardsOf } from "../store/item-keys.ts";
import type { ListingBudget } from "./listing-budget.ts";
import type { Item } from "../ports/table.ts";
import { targetIn } from "../store/target-attributes.ts";

export interface ListingEntry extends Target {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly createdAtMs: number;
}

export interface ListingRange {
  readonly order: "newest-first" | "oldest-first";
  readonly fromMs: number;
  /** Inclusive. */
  readonly toMs: number;
  /** The number of entries in the first read of a shard; `nextPage` is the number of entries in each later read. */
  readonly firstPage: number;
  readonly nextPage: number;
  /** The most days that the stream covers; by default all. */
  readonly daysMax?: number;
}

/**
 * The stream ends after this many days in a row without an entry. A query with an upper bound of `created_at` reads older
 * entries.
 */
const EMPTY_DAYS_MAX = 31;
/** A first page reads today and yesterday; a later page goes back far enough to reach an entry or the end of the listing. */
export const FIRST_DAYS = 2;
export const LATER_DAYS = EMPTY_DAYS_MAX + 1;

/** `entries` keeps what it has yielded, so that a second iteration reads nothing again. */
export class ListingStream {
  readonly #engine: Engine;
  readonly #budget: ListingBudget;
  readonly #range: ListingRange;
  readonly #given: ListingEntry[] = [];
  readonly #source: AsyncGenerator<readonly ListingEntry[]>;
  /** The moment at which `daysMax` stopped the stream; older entries were not read. */
  stoppedAtMs: number | undefined;

  constructor(engine: Engine, budget: ListingBudget, range: ListingRange) {
    this.#engine = engine;
    this.#budget = budget;
    this.#range = range;
    this.#source = this.#days();
  }

  /** Entries of one moment are in the order of their ids. */
  async *entries(): AsyncGenerator<ListingEntry> {
    for (let i = 0; ; i++) {
      while (i >= this.#given.length) {
        const { value, done } = await this.#source.next();
        if (done === true) return;
        this.#given.push(...value);
      }
      yield this.#given[i]!;
    }
  }

  /** The same entries for a single reader; the stream keeps none of them. */
  async *once(): AsyncGenerator<ListingEntry> {
    for await (const group of this.#source) yield* group;
  }

  async *#days(): AsyncGenerator<readonly ListingEntry[]> {
    const { order, fromMs, toMs, daysMax = Infinity } = this.#range;
    const isNewestFirst = order === "newest-first";
    const lastMs = Math.min(toMs, this.#engine.clock.nowMs() + CLOCK_SKEW_MAX_MS);
    const firstMs = isNewestFirst ? fromMs : Math.max(fromMs, await this.#oldestMs(fromMs, lastMs));
    let empty = 0;
    let days = 0;
    let dayMs = dayOf(isNewestFirst ? lastMs : firstMs);
    while (dayMs >= dayOf(firstMs) && dayMs <= lastMs && empty < EMPTY_DAYS_MAX) {
      if (days++ === daysMax) {
        this.stoppedAtMs = dayMs + DAY_MS;
        return;
      }
      let given = 0;
      for await (const group of this.#day(dayMs)) {
        given += group.length;
        yield group;
      }
      empty = given === 0 && isNewestFirst ? empty + 1 : 0;
      dayMs += isNewestFirst ? -DAY_MS : DAY_MS;
    }
  }

  /** The start of the oldest day that `newest-first` would reach. */
  async #oldestMs(fromMs: number, lastMs: number): Promise<number> {
    let oldestMs = lastMs;
    for (let dayMs = dayOf(lastMs); dayMs >= dayOf(fromMs); dayMs -= DAY_MS) {
      const heads = await Promise.all(this.#shards(dayMs).map((shard) => shard.page(1)));
      if (heads.some((page) => page.length > 0)) oldestMs = dayMs;
      else if (oldestMs - dayMs >= EMPTY_DAYS_MAX * DAY_MS) break;
    }
    return oldestMs;
  }

  #shards(dayMs: number): ShardReader[] {
    return shardsOf(this.#engine.settings).map(
      (shard) => new ShardReader(this.#engine, this.#budget, this.#range, dayMs, shard),
    );
  }

  /** Yields groups of entries in order. All entries of one moment are in one group, and a group may contain several moments. */
  async *#day(dayMs: number): AsyncGenerator<readonly ListingEntry[]> {
    const shards = this.#shards(dayMs);
    const { order, firstPage, nextPage } = this.#range;
    for (let size = firstPage; ; size = nextPage) {
      await Promise.all(shards.map((shard) => shard.fill(size)));
      const heads = shards.map(({ head }) => head?.createdAtMs).filter((atMs) => atMs !== undefined);
      if (heads.length === 0) return;
      // While no shard is dry, the pages of the shards contain all entries of the moment that comes next in the order.
      const entries: ListingEntry[] = [];
      for (;;) {
        const atMs = nearest(shards, order);
        if (atMs === undefined) break;
        const from = entries.length;
        for (const shard of shards) shard.take(atMs, entries);
        if (entries.length > from + 1) entries.push(...entries.splice(from).sort((a, b) => (a.id < b.id ? -1 : 1)));
      }
      if (entries.length > 0) yield entries;
    }
  }
}

/** @returns undefined if a shard must be filled first, or if all have ended */
function nearest(shards: readonly ShardReader[], order: ListingRange["order"]): number | undefined {
  let best: number | undefined;
  for (const shard of shards) {
    if (shard.isDry) return undefined;
    const atMs = shard.head?.createdAtMs;
    if (atMs === undefined) continue;
    if (best === undefined || (order === "newest-first" ? atMs > best : atMs < best)) best = atMs;
  }
  return best;
}

/** One shard of one day: its current page, and where the next page begins. */
class ShardReader {
  readonly #engine: Engine;
  readonly #budget: ListingBudget;
  readonly #range: ListingRange;
  readonly #pk: string;
  #page: ListingEntry[] = [];
  #at = 0;
  #next: string | undefined;
  #ended = false;

  constructor(engine: Engine, budget: ListingBudget, range: ListingRange, dayMs: number, shard: number) {
    this.#engine = engine;
    this.#budget = budget;
    this.#range = range;
    this.#pk = listingPk(engine.settings.keyPrefix, dayMs, shard);
  }

  get head(): ListingEntry | undefined {
    return this.#page[this.#at];
  }

  /** True if the next page may have more entries of the head's moment. */
  get isDry(): boolean {
    if (this.#ended) return false;
    const last = this.#page.at(-1);
    return last === undefined || this.head === undefined || this.head.createdAtMs === last.createdAtMs;
  }

  take(atMs: number, into: ListingEntry[]): void {
    for (; this.head?.createdAtMs === atMs; this.#at++) into.push(this.head);
  }

  /** Fills the shard if it is dry or nearly dry: shards run dry one after the other, and filling them together saves time. */
  async fill(size: number): Promise<void> {
    if (this.#ended || (!this.isDry && this.#page.length - this.#at > size / 2)) return;
    const more = await this.page(size);
    this.#page = [...this.#page.slice(this.#at), ...more];
    this.#at = 0;
  }

  async page(size: number): Promise<readonly ListingEntry[]> {
    const { order, fromMs, toMs } = this.#range;
    const below = Number.isFinite(toMs) ? toMs + 1 : Number.MAX_SAFE_INTEGER / 10;
    const { items, next } = await this.#engine.table.queryIndex("list", this.#pk, {
      ...momentRange(fromMs, below),
      limit: size,
      reverse: order === "newest-first",
      ...(this.#next !== undefined && { after: this.#next }),
    });
    this.#budget.entries(items.length);
    this.#next = next;
    this.#ended = next === undefined;
    return items.map(entryOf);
  }
}

export function entryOf(item: Item): ListingEntry {
  return { ...targetIn(item), id: idOf(item), createdAtMs: acceptedAtMs(item), nonce: item["n"] as Nonce };
}

/** The moment of an acceptance, from its place in the listing. */
function acceptedAtMs(item: Item): number {
  return Number(String(item["listSk"]).slice(0, 15));
}

function dayOf(atMs: number): number {
  return atMs - (atMs % DAY_MS);
}
