/** Reads for the rows of a list what the indexes do not show: the end of an invocation, its attempts, and its last failure. */
import { CANCELLED_CODE, type EndOutcome, endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { Failure } from "../../core/model/failure.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { type Item, type Key, KEYS_MAX } from "../ports/table.ts";
import { invocationPk, leaseRecordKey, segmentKey, segmentRange } from "../store/item-keys.ts";
import { reassemble } from "../store/large-record.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { type Loaded, load, SMALL_MAX_BYTES } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";
import { readEnd, type SegmentEnd } from "../store/segment-record.ts";
import type { Summary } from "./open-listing.ts";

export interface RowDetails {
  /** Present for a completed invocation, unless the reads of the page were used up. */
  readonly outcome?: EndOutcome;
  readonly endedAtMs?: number;
  readonly failure?: Failure;
  readonly attempts?: number;
  readonly nextRetryAtMs?: number;
  readonly wakeAtMs?: number;
  readonly lastFailure?: AttemptFailure;
}

export type DetailedRow = Summary & RowDetails;
type Named = Summary & { readonly nonce: Nonce };

const READS_AT_ONCE = 16;
/** The most reads of single items, and loads of invocations that may have been cancelled, for one page. */
const SINGLE_READS_MAX = 500;
const LOADS_MAX = 100;

/** Reads the details of the rows of one page, in the order of the rows. */
export class RowReader {
  readonly #engine: Engine;
  #singlesLeft = SINGLE_READS_MAX;
  #loadsLeft = LOADS_MAX;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Mostly costs half a read unit for each row, sometimes a unit or two. */
  async details(rows: readonly Summary[]): Promise<readonly DetailedRow[]> {
    const beside = await this.#itemsBeside(rows.filter(isNamed));
    return await atMost(READS_AT_ONCE, rows, async (row) => ({ ...row, ...(await this.#of(row, beside.get(row.id))) }));
  }

  /** One item for each row: the first segment of a completed invocation, which mostly is its last, or the lease record. */
  async #itemsBeside(rows: readonly Named[]): Promise<ReadonlyMap<string, Item>> {
    const found = new Map<string, Item>();
    for (let from = 0; from < rows.length; from += KEYS_MAX) {
      const group = rows.slice(from, from + KEYS_MAX);
      const items = await this.#engine.table.getMany(group.map((row) => this.#keyBeside(row)));
      for (const [at, { id }] of group.entries()) if (items[at] !== undefined) found.set(id, items[at]);
    }
    return found;
  }

  #keyBeside({ id, nonce, status }: Named): Key {
    const pk = invocationPk(this.#engine.settings.keyPrefix, id);
    return status === "completed" ? segmentKey(pk, nonce, 1) : leaseRecordKey(pk, nonce);
  }

  async #of(row: Summary, item: Item | undefined): Promise<RowDetails> {
    const driven = this.#engine.activeInvocations.find(row.id)?.invocation;
    if (driven !== undefined) return detailsOf(driven);
    if (row.loaded !== undefined) return detailsOfLoaded(row.loaded);
    if (!isNamed(row)) return {};
    if (row.status === "completed") return await this.#ofEnd(row, item);
    return item === undefined ? {} : detailsOfHold(item);
  }

  async #ofEnd(row: Named, first: Item | undefined): Promise<RowDetails> {
    const final = first?.["end"] === true ? first : await this.#finalSegment(row);
    if (final === undefined) return {};
    const [plain] = await reassemble(this.#engine, [final], row.nonce);
    const end = readEnd(plain ?? final);
    if (end === undefined) return {};
    const { result, killed } = end;
    const mayBeCancelled = !killed && result.kind === "failure" && result.failure.code === CANCELLED_CODE;
    if (!mayBeCancelled || final["cancelled"] === true) return detailsOfEnd(end, final["cancelled"] === true);
    // Only the journal shows whether the handler got a cancel before it failed with this code.
    const loaded = await this.#loaded(row);
    return loaded === undefined ? {} : detailsOfLoaded(loaded);
  }

  async #finalSegment({ id, nonce }: Named): Promise<Item | undefined> {
    if (this.#singlesLeft-- <= 0) return undefined;
    const { table, settings } = this.#engine;
    const range = { ...segmentRange(nonce), reverse: true, limit: 1 };
    return (await table.query(invocationPk(settings.keyPrefix, id), range)).items[0];
  }

  async #loaded({ id }: Named): Promise<Loaded | undefined> {
    if (this.#loadsLeft-- <= 0) return undefined;
    try {
      return await load(this.#engine, id, SMALL_MAX_BYTES);
    } catch (error) {
      if (error instanceof TooLargeError) return undefined;
      throw error;
    }
  }
}

function isNamed(row: Summary): row is Named {
  return row.nonce !== undefined;
}

function detailsOfLoaded(loaded: Loaded): RowDetails {
  return detailsOf(loaded.invocation, loaded.isCancelled);
}

function detailsOf(invocation: Invocation, isCancelled = false): RowDetails {
  const { phase, attempts, lastFailure } = invocation;
  if (phase.status !== "completed")
    return {
      attempts,
      ...(phase.status === "backing-off" && { nextRetryAtMs: phase.retryAtMs }),
      ...(lastFailure && { lastFailure }),
    };
  const { result, endedAtMs } = phase;
  const outcome = endOutcome(invocation, isCancelled);
  return {
    attempts,
    endedAtMs,
    ...(outcome && { outcome }),
    ...(result.kind === "failure" && { failure: result.failure }),
  };
}

function detailsOfEnd({ result, killed, endedAtMs, attempts }: SegmentEnd, isCancelled: boolean): RowDetails {
  const failed = isCancelled ? "cancelled" : "failed";
  return {
    endedAtMs,
    outcome: killed ? "killed" : result.kind === "success" ? "succeeded" : failed,
    ...(attempts !== undefined && { attempts }),
    ...(result.kind === "failure" && { failure: result.failure }),
  };
}

function detailsOfHold(item: Item): RowDetails {
  const { status, attempts, wakeAtMs, lastFailure } = readLeaseRecord(item);
  const wake = wakeAtMs === undefined ? {} : status === "backing-off" ? { nextRetryAtMs: wakeAtMs } : { wakeAtMs };
  return { attempts, ...wake, ...(lastFailure && { lastFailure }) };
}
