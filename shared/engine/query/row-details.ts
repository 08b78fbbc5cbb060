/** Reads the details of list rows that the indexes do not show: how an invocation ended, its attempts, and its last failure. */
import { END_OUTCOMES, type EndOutcome, endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { Failure } from "../../core/model/failure.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { LimitKey } from "../../core/model/scope.ts";
import { atMost } from "../bulkheads/at-most.ts";
import { Proto3Error } from "../../core/model/proto3.ts";
import type { Failed } from "../../core/query/cause.ts";
import type { Engine } from "../engine.ts";
import { type Item, type Key, StoreError } from "../ports/table.ts";
import { invocationPk, leaseRecordKey, segmentKey, segmentRange } from "../store/item-keys.ts";
import { reassemble } from "../store/large-record.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { limitKeyIn } from "../store/acceptance-record.ts";
import type { Loaded } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";
import { readEnd, readOutline, type SegmentEnd } from "../store/segment-record.ts";
import type { Summary } from "./open-listing.ts";

export interface RowDetails {
  /** Present for a completed invocation; may be missing if its items are gone or not read. */
  readonly outcome?: EndOutcome;
  /** The reads of the page were used up before this row. */
  readonly isUnread?: true;
  /** Present for an invocation in a scope that has one. */
  readonly limitKey?: LimitKey;
  readonly endedAtMs?: number;
  readonly failure?: Failure;
  readonly attempts?: number;
  readonly nextRetryAtMs?: number;
  readonly wakeAtMs?: number;
  readonly lastFailure?: AttemptFailure;
  /** The deployment of the last attempt, or of the next one if an operator has chosen it. */
  readonly deploymentId?: string;
}

/** The error of a completed invocation, or else of its last failed attempt, as lists name it. */
export function errorOfRow({ failure, lastFailure }: RowDetails): Failed | undefined {
  if (failure !== undefined) return { code: String(failure.code), message: failure.message };
  return lastFailure && { code: lastFailure.errorCode, message: lastFailure.message };
}

export type DetailedRow = Summary & RowDetails;

const READS_AT_ONCE = 16;
/** Bounds the memory of a page: an item may have 400 KB. */
const ROWS_AT_ONCE = 32;
/** The result in a larger final record may have tens of megabytes, so a row shows only the outcome of such a record. */
const END_MAX_BYTES = 64 * 1024;
/** The most reads of single items for one page. */
const SINGLE_READS_MAX = 500;

/** Reads the details of the rows of one page, in the order of the rows. */
export class RowReader {
  readonly #engine: Engine;
  #singlesLeft = SINGLE_READS_MAX;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Costs half a read unit for most rows, and one or two for an end after several segments. */
  async details(rows: readonly Summary[]): Promise<readonly DetailedRow[]> {
    const detailed: DetailedRow[] = [];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const group = rows.slice(from, from + ROWS_AT_ONCE);
      const [beside, limitKeys] = await Promise.all([this.#itemsBeside(group), this.#limitKeys(group)]);
      const read = async (row: Summary) => ({
        ...row,
        ...(await this.#of(row, beside.get(row.id))),
        ...limitKeys.get(row.id),
      });
      detailed.push(...(await atMost(READS_AT_ONCE, group, read)));
    }
    return detailed;
  }

  /**
   * Reads one item for each row. For a completed invocation this is segment 1, which is mostly the final one; for an open
   * invocation it is the lease record.
   */
  async #itemsBeside(rows: readonly Summary[]): Promise<ReadonlyMap<string, Item>> {
    if (rows.length === 0) return new Map();
    const items = await this.#engine.table.getMany(rows.map((row) => this.#keyBeside(row)));
    return new Map(rows.flatMap(({ id }, at) => (items[at] === undefined ? [] : [[id, items[at]] as const])));
  }

  /** Reads the acceptances of the rows in scopes, half a read unit or a little more for each. */
  async #limitKeys(rows: readonly Summary[]): Promise<ReadonlyMap<string, { readonly limitKey: LimitKey }>> {
    const scoped = rows.filter(({ scope }) => scope !== undefined);
    if (scoped.length === 0) return new Map();
    const { table, settings } = this.#engine;
    const keys = scoped.map(({ id, nonce }) => segmentKey(invocationPk(settings.keyPrefix, id), nonce, 0));
    const items = await table.getMany(keys);
    return new Map(
      scoped.flatMap(({ id }, at) => {
        const limitKey = items[at] && limitKeyIn(items[at]);
        return limitKey === undefined ? [] : [[id, { limitKey }] as const];
      }),
    );
  }

  #keyBeside({ id, nonce, status }: Summary): Key {
    const pk = invocationPk(this.#engine.settings.keyPrefix, id);
    return status === "completed" ? segmentKey(pk, nonce, 1) : leaseRecordKey(pk, nonce);
  }

  async #of(row: Summary, item: Item | undefined): Promise<RowDetails> {
    const driven = this.#engine.activeInvocations.find(row.id)?.invocation;
    if (driven !== undefined) return detailsOf(driven);
    if (row.loaded !== undefined) return detailsOfLoaded(row.loaded);
    if (row.status === "completed") return await this.#ofEnd(row, item);
    return item === undefined ? {} : detailsOfHold(item);
  }

  async #ofEnd(row: Summary, first: Item | undefined): Promise<RowDetails> {
    const final = first?.["end"] === true ? first : await this.#finalSegment(row);
    if (final === "unread") return { isUnread: true };
    if (final === undefined) return {};
    const outcome = outcomeIn(final);
    const end = await this.#smallEnd(final, row.nonce);
    // A kill writes an end without an attempt; the first segment then shows where the invocation ran.
    const deploymentId = end?.deploymentId ?? deploymentIn(first);
    const where = deploymentId === undefined ? {} : { deploymentId };
    return { ...where, ...(outcome && { outcome }), ...(end && detailsOfEnd(end)) };
  }

  /** @returns undefined for a record that is large, or whose pieces have expired */
  async #smallEnd(final: Item, nonce: Nonce): Promise<SegmentEnd | undefined> {
    let sizeBytes = 0;
    const count = async (bytes: number): Promise<void> => {
      sizeBytes += bytes;
      if (sizeBytes > END_MAX_BYTES) throw new TooLargeError(`${final.pk} has a large end`);
    };
    try {
      const [plain] = await reassemble(this.#engine, [final], nonce, count);
      return readEnd(plain ?? final);
    } catch (error) {
      if (error instanceof TooLargeError || error instanceof StoreError) return undefined;
      throw error;
    }
  }

  async #finalSegment({ id, nonce }: Summary): Promise<Item | "unread" | undefined> {
    if (this.#singlesLeft-- <= 0) return "unread";
    const { table, settings } = this.#engine;
    const range = { ...segmentRange(nonce), reverse: true, limit: 1 };
    return (await table.query(invocationPk(settings.keyPrefix, id), range)).items[0];
  }
}

/** @returns undefined for a record of several pieces, and for one that cannot be read */
function deploymentIn(segment: Item | undefined): string | undefined {
  if (segment === undefined) return undefined;
  try {
    return readOutline(segment).deploymentId;
  } catch (error) {
    if (error instanceof StoreError || error instanceof Proto3Error) return undefined;
    throw error;
  }
}

function detailsOfLoaded(loaded: Loaded): RowDetails {
  return detailsOf(loaded.invocation, loaded.isCancelled);
}

function detailsOf(invocation: Invocation, isCancelled = false): RowDetails {
  const { phase, attempts, lastFailure, pin } = invocation;
  const where = pin === undefined ? {} : { deploymentId: pin.deploymentId };
  if (phase.status !== "completed")
    return {
      ...where,
      attempts,
      ...(phase.status === "backing-off" && { nextRetryAtMs: phase.retryAtMs }),
      ...(lastFailure && { lastFailure }),
    };
  const { result, endedAtMs } = phase;
  const outcome = endOutcome(invocation, isCancelled);
  return {
    ...where,
    attempts,
    endedAtMs,
    ...(outcome && { outcome }),
    ...(result.kind === "failure" && { failure: result.failure }),
  };
}

function outcomeIn(final: Item): EndOutcome | undefined {
  return END_OUTCOMES.find((outcome) => outcome === final["outcome"]);
}

function detailsOfEnd({ result, endedAtMs, attempts }: SegmentEnd): RowDetails {
  return {
    endedAtMs,
    ...(attempts !== undefined && { attempts }),
    ...(result.kind === "failure" && { failure: result.failure }),
  };
}

function detailsOfHold(item: Item): RowDetails {
  const { status, attempts, wakeAtMs, lastFailure, deploymentId } = readLeaseRecord(item);
  const wake = wakeAtMs === undefined ? {} : status === "backing-off" ? { nextRetryAtMs: wakeAtMs } : { wakeAtMs };
  const where = deploymentId === undefined ? {} : { deploymentId };
  return { ...where, attempts, ...wake, ...(lastFailure && { lastFailure }) };
}
