/** Watches the pools of a run (I13): an attempt counts only while a place of each pool names its life, and in the end all is free. */
import { readAcceptance } from "../../../shared/engine/store/acceptance-record.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { holderOf, takenIn } from "../../../shared/engine/store/pool-items.ts";
import { readEnd, readSegment } from "../../../shared/engine/store/segment-record.ts";
import type { MemoryTable } from "../memory-table.ts";
import type { Client } from "./client.ts";
import { SKEW_MS } from "./point.ts";

/** The limits that the rules of a scenario set, which each run must keep. */
export interface Limited {
  /** The places of each pool while the rules stand unchanged. Each invocation of the service, or of the handler, needs one. */
  readonly places?: Readonly<Record<string, number>>;
  /** The time between two starts of the invocations of a service. */
  readonly startsApartMs?: number;
  /** True if the rules do not stand to the end: names may stay in the items of a pool that no rule limits. */
  readonly isLifted?: true;
  /**
   * One more invocation of the pool. If the write of a dead process came late, a place or a turn may be left of one that has ended: whoever
   * comes next finds it.
   */
  readonly next?: (client: Client) => Promise<unknown>;
}

const SEGMENT = /^seg#(.+)#(\d+)$/;
const FREE = "-";

export class PlaceWatch {
  readonly #limited: Limited;
  readonly #table: MemoryTable;
  readonly #complaints = new Set<string>();
  readonly #startsMs: number[] = [];

  constructor(limited: Limited, table: MemoryTable) {
    this.#limited = limited;
    this.#table = table;
  }

  /** Judges an item that was just written. */
  wrote(item: Item): void {
    if (item.sk === "places") this.#judgeTaken(item);
    const [, nonce, index] = SEGMENT.exec(item.sk) ?? [];
    if (nonce === undefined) return;
    if (this.#limited.startsApartMs !== undefined && Number(index) === 1) this.#noteStart(item);
    // A kill ends an invocation without an attempt.
    if (item["end"] !== true || readEnd(item)?.attempts !== undefined) this.#judgeAttempt(item, nonce);
  }

  /** True if a place or a turn is left, and one that comes next has to find it. */
  isLeftToNext(): boolean {
    return this.#limited.next !== undefined && this.#left().length > 0;
  }

  #left(): readonly string[] {
    return this.#table
      .all()
      .flatMap((item) => [
        ...(item.sk.startsWith("turn#") ? [`a turn is left in ${item.pk}: ${item.sk}`] : []),
        ...holders(item).map(({ id }) => `all have ended, and a place of ${item.pk} names ${id}`),
      ]);
  }

  /** @returns complaints, when all has ended */
  judge(): readonly string[] {
    const { startsApartMs = 0, isLifted } = this.#limited;
    const starts = this.#startsMs.toSorted((a, b) => a - b);
    for (const [at, startMs] of starts.slice(1).entries())
      if (startMs - starts[at]! < startsApartMs - SKEW_MS)
        this.#complaints.add(`two began ${startMs - starts[at]!} ms apart`);
    return [...this.#complaints, ...(isLifted === true ? [] : this.#left())];
  }

  /** The moment of an attempt before this one, which its process did not survive, is not known. */
  #noteStart(item: Item): void {
    const { attempt } = readSegment(1, item, () => undefined).segment;
    if (attempt?.number === 1) this.#startsMs.push(attempt.startedAtMs);
  }

  #judgeTaken(item: Item): void {
    const pool = item.pk.slice("pool#".length);
    const taken = holders(item).length;
    const places = this.#limited.places?.[pool] ?? Infinity;
    if (taken > places) this.#complaints.add(`${pool} has ${places} places, and ${taken} were taken`);
  }

  #judgeAttempt({ pk, sk }: Item, nonce: string): void {
    const id = pk.slice("inv#".length) as InvocationId;
    const { service, handler } = readAcceptance(id, this.#table.shown({ pk, sk: "seg#000000" })!).acceptance.target;
    const pools = Object.keys(this.#limited.places ?? {});
    for (const pool of pools.filter((one) => one === `service:${service}` || one === `handler:${service}/${handler}`)) {
      const named = holders(this.#table.shown({ pk: `pool#${pool}`, sk: "places" }));
      if (!named.some((one) => one.id === id && one.nonce === nonce))
        this.#complaints.add(`an attempt of ${handler} ${id} counts (${sk}), and no place of ${pool} names it`);
    }
  }
}

function holders(item: Item | undefined) {
  if (item?.sk !== "places") return [];
  return takenIn(item).flatMap(([, holder]) => (holder === FREE ? [] : [holderOf(holder)]));
}
