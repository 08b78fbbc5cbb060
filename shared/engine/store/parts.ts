/**
 * Reads the items of an invocation that is too large for one page: segments first, then the arrivals that they list. It reads
 * only a few of the fresh arrivals, so that it needs little more memory than the journal, however much waits in the inbox.
 */
import type { Nonce } from "../../core/model/ids.ts";
import type { Item } from "../ports/table.ts";
import { withoutResult } from "./arrival-record.ts";
import { ARRIVAL_BYTES, isUrgent, URGENT_MAX } from "./fresh-arrivals.ts";
import {
  ACCEPTANCE_SK,
  ARRIVALS,
  belongsTo,
  EARLY,
  HOLD_TO_SEGMENTS,
  PIECES,
  segmentsOf,
  uniquePart,
} from "./item-keys.ts";
import { reassemble, recordBytes } from "./large-record.ts";
import { eachPage, type OnBytes, readPartition } from "./read-partition.ts";
import { isPlain } from "./record-envelope.ts";
import { listedIn, segmentsThatCount } from "./segment-record.ts";
import type { StoredMeasure } from "./stored-size.ts";
import type { StorePorts } from "./store-ports.ts";

/** The bytes of fresh arrivals that come with a load. A driver reads the others once it has room for them. */
const FRESH_MAX_BYTES = 4 * 1024 * 1024;
/**
 * A load remembers at most this many keys of the fresh arrivals that it leaves in the table. A redo looks for keys among them,
 * so that it performs no effect whose answer has arrived.
 */
const LEFT_MAX = 10_000;

export interface PartsWanted {
  readonly onBytes?: OnBytes | undefined;
  /** Receives all items as stored, and adds up their sizes. */
  readonly measure?: StoredMeasure | undefined;
  /** True if the results in listed arrivals are of no interest, and are not read. */
  readonly asHeads?: boolean;
}

export interface Parts {
  /** The acceptance, the lease record and the segments, readable. */
  readonly items: readonly Item[];
  /** The arrivals that segments list, in their stored form, and the fresh arrivals, in readable form. */
  readonly arrived: Item[];
  /** Makes items readable. */
  readonly join: (items: readonly Item[]) => Promise<readonly Item[]>;
  /** The keys of fresh arrivals that are left in the table, at most `LEFT_MAX` of them; absent if there are none. */
  readonly left?: ReadonlySet<string>;
  /** Present if a listed arrival has an empty result in place of a large one. */
  readonly leavesResults?: true;
}

/**
 * Arrivals are read after the segments, and stay as long as their segments, so the read returns each arrival that a segment
 * lists (I4).
 * @param known items that were read before; the pieces among them are not read again
 * @returns undefined if no acceptance is stored
 */
export async function readInParts(
  engine: StorePorts,
  pk: string,
  known: readonly Item[],
  { onBytes, measure, asHeads = false }: PartsWanted = {},
): Promise<Parts | undefined> {
  const found = await readPartition(engine.table, pk, HOLD_TO_SEGMENTS, Infinity, onBytes);
  const nonce = found.find(({ sk }) => sk === ACCEPTANCE_SK)?.["n"] as Nonce | undefined;
  if (nonce === undefined) return undefined;
  measure?.add(found);
  const pieces = known.filter(({ sk }) => sk.startsWith(PIECES.from));
  const join: Join = (some) => reassemble(engine, [...pieces, ...some], nonce, onBytes);
  const items = await join(found);
  const listed = new Set(segmentsThatCount(segmentsOf(items, nonce)).flatMap(listedIn));
  const reading = new ArrivalsOfLoad(nonce, listed);
  await eachPage(engine.table, pk, ARRIVALS, (page) => {
    measure?.add(page);
    for (const item of page) reading.add(item);
  });
  const listedItems = asHeads ? reading.listed.map((item) => withoutResult(item, nonce)) : reading.listed;
  const fresh = await unpackedFresh(reading, join);
  return {
    items,
    arrived: [...listedItems, ...fresh].sort((a, b) => (a.sk < b.sk ? -1 : 1)),
    join,
    ...(reading.left.size > 0 && { left: reading.left }),
    ...(listedItems.some((item, at) => item !== reading.listed[at]) && { leavesResults: true }),
  };
}

type Join = Parts["join"];

class ArrivalsOfLoad {
  readonly listed: Item[] = [];
  readonly fresh: Item[] = [];
  readonly left = new Set<string>();
  readonly #nonce: Nonce;
  readonly #keys: ReadonlySet<string>;
  #freshBytes = 0;
  #urgent = 0;

  constructor(nonce: Nonce, keys: ReadonlySet<string>) {
    this.#nonce = nonce;
    this.#keys = keys;
  }

  add(item: Item): void {
    if (!belongsTo(item.sk, this.#nonce)) return;
    const key = uniquePart(item.sk, "arr", this.#nonce) ?? uniquePart(item.sk, "arr", EARLY);
    if (key !== undefined && this.#keys.has(key)) this.listed.push(item);
    else if (this.#freshBytes + recordBytes(item) + ARRIVAL_BYTES <= FRESH_MAX_BYTES) {
      this.#freshBytes += recordBytes(item) + ARRIVAL_BYTES;
      this.fresh.push(item);
    } else if (this.#urgent < URGENT_MAX && isUrgent(item)) {
      this.#urgent++;
      this.fresh.push(item);
    } else this.leave(item);
  }

  leave({ sk }: Item): void {
    if (this.left.size < LEFT_MAX) this.left.add(uniquePart(sk, "arr", this.#nonce) ?? sk);
  }
}

/** Unpacks one record after the other, up to the bound: a record may be a thousand times as large as its item. */
async function unpackedFresh(reading: ArrivalsOfLoad, join: Join): Promise<readonly Item[]> {
  const fresh: Item[] = [];
  let leftBytes = FRESH_MAX_BYTES;
  for (const item of reading.fresh) {
    const isReady = isPlain(item["b"]);
    const [plain] = isReady || leftBytes <= 0 ? [item] : await join([item]);
    leftBytes -= recordBytes(plain!);
    if (isReady || leftBytes >= 0) fresh.push(plain!);
    else reading.leave(item);
  }
  return fresh;
}
