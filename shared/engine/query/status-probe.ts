/**
 * Reads the status of invocations from single items of their partitions; a completed one mostly costs half a read unit.
 */
import type { DeploymentId, InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { type Item, type Key, KEYS_MAX } from "../ports/table.ts";
import { readAcceptance } from "../store/acceptance-record.ts";
import { type LeaseRecord, readLeaseRecord } from "../store/lease-record.ts";
import { leaseRecordKey, invocationPk, segmentIndexOf, segmentKey, segmentRange } from "../store/item-keys.ts";
import { reassemble } from "../store/large-record.ts";
import { isLeased } from "../store/load.ts";
import { isOutlived } from "../store/outlived.ts";
import { readOutline, type SegmentOutline } from "../store/segment-record.ts";

const UNIT_BYTES = 4096;
/** The limit of reads at a time: each opens a socket, and the system refuses many new sockets at once to a Lambda function. */
const READS_AT_ONCE = 16;

export interface ProbeResult {
  /** `gone`: the invocation was purged, its records have expired, or it ended before its first attempt (I6). */
  readonly status: Presented | "gone";
  readonly deploymentId?: DeploymentId;
}

/** The attributes of an index entry that a probe needs. */
export interface ProbedStatus {
  readonly id: InvocationId;
  readonly nonce: Nonce;
}

class NoReadsLeft extends Error {
  override name = "NoReadsLeft";
}

/** Reads the status of many invocations within a budget of read units. */
export class StatusProbe {
  readonly #engine: Engine;
  #unitsLeft: number;

  constructor(engine: Engine, unitsMax: number) {
    this.#engine = engine;
    this.#unitsLeft = unitsMax;
  }

  /** @returns the statuses in the order of the entries; undefined from the first one that the budget does not cover */
  async at(entries: readonly ProbedStatus[]): Promise<readonly (ProbeResult | undefined)[]> {
    const firsts = await this.#firstSegments(entries);
    const results = await atMost(READS_AT_ONCE, entries, async (entry) => {
      const first = firsts.get(entry);
      return first?.["end"] === true ? endOf(first) : await this.#at(entry);
    });
    const unread = results.indexOf(undefined);
    return unread < 0 ? results : results.map((one, i) => (i < unread ? one : undefined));
  }

  /**
   * Most invocations end with segment 1 and need no further read. The read is not strongly consistent, so a missing end
   * proves nothing: such an entry is read again, by itself.
   */
  async #firstSegments(entries: readonly ProbedStatus[]): Promise<ReadonlyMap<ProbedStatus, Item>> {
    const { settings, activeInvocations, table } = this.#engine;
    const firsts = new Map<ProbedStatus, Item>();
    const asked = entries.flatMap((entry) => {
      if (activeInvocations.find(entry.id) !== undefined) return [];
      return [{ entry, key: segmentKey(invocationPk(settings.keyPrefix, entry.id), entry.nonce, 1) }];
    });
    for (let from = 0; from < asked.length && this.#unitsLeft > 0; from += KEYS_MAX) {
      // Each small item costs half a unit.
      const group = asked.slice(from, from + Math.min(KEYS_MAX, Math.ceil(2 * this.#unitsLeft)));
      const found = await table.getMany(group.map(({ key }) => key));
      for (const [at, { entry }] of group.entries()) {
        const item = found[at];
        this.#unitsLeft -= (1 + extraUnits(item)) / 2;
        if (item !== undefined) firsts.set(entry, item);
      }
    }
    return firsts;
  }

  async #at(entry: ProbedStatus): Promise<ProbeResult | undefined> {
    const driven = this.#engine.activeInvocations.find(entry.id)?.invocation;
    if (driven === undefined) return await this.#affordable(() => this.#probed(entry));
    const { phase, pin } = driven;
    const status = phase.status === "completed" && phase.tombstone ? "gone" : phase.status;
    return { status: status === "ready" ? "running" : status, ...(pin && { deploymentId: pin.deploymentId }) };
  }

  /** The deployment in the pin of segment 1. @returns `none` if there is no pin; undefined if the budget does not suffice */
  deploymentOf({ id, nonce }: ProbedStatus): Promise<DeploymentId | "none" | undefined> {
    const { keyPrefix } = this.#engine.settings;
    return this.#affordable(async () => {
      const first = await this.#get(segmentKey(invocationPk(keyPrefix, id), nonce, 1));
      return (first && (await this.#outline(first, nonce)).deploymentId) ?? "none";
    });
  }

  async #affordable<Told>(tell: () => Promise<Told>): Promise<Told | undefined> {
    try {
      return await tell();
    } catch (error) {
      if (error instanceof NoReadsLeft) return undefined;
      throw error;
    }
  }

  async #probed({ id, nonce }: ProbedStatus): Promise<ProbeResult> {
    const pk = invocationPk(this.#engine.settings.keyPrefix, id);
    const last = await this.#lastSegment(pk, nonce);
    if (last === undefined) return await this.#atStart(id, pk, nonce);
    if (last.item["end"] === true) return endOf(last.item);
    const outline = await this.#outline(last.item, nonce);
    const { deploymentId } = outline;
    const found = await this.#get(leaseRecordKey(pk, nonce));
    const leaseRecord = found && readLeaseRecord(found);
    const { expiresAtS } = last.item;
    if (isOutlived(this.#engine, { expiresAtS, leaseRecord, untilMs: outline.lease.untilMs }))
      return { status: "gone" };
    const status = this.#status(
      outline,
      leaseRecord !== undefined && leaseRecord.base >= last.index ? leaseRecord : undefined,
    );
    return { status, ...(deploymentId !== undefined && { deploymentId }) };
  }

  async #lastSegment(pk: string, nonce: Nonce): Promise<{ index: number; item: Item } | undefined> {
    const range = { ...segmentRange(nonce), reverse: true, limit: 1 };
    const [item] = await this.#charged(async () => (await this.#engine.table.query(pk, range)).items);
    return item && { index: segmentIndexOf(item), item };
  }

  /** No segment after the acceptance: no attempt has ended yet, the journal was dropped, or the invocation is gone. */
  async #atStart(id: InvocationId, pk: string, nonce: Nonce): Promise<ProbeResult> {
    const first = await this.#get(segmentKey(pk, nonce, 0));
    // An acceptance without a key of the listing is a tombstone or was purged. The index may still show it, because the index
    // lags behind the table.
    if (first === undefined || first["n"] !== nonce || first["listSk"] === undefined) return { status: "gone" };
    if (first["end"] === true) return { status: "completed" };
    const [plain] = await reassemble(this.#engine, [first], nonce);
    const { acceptance, lease } = readAcceptance(id, plain ?? first);
    if (isLeased(this.#engine, { lease }, this.#engine.clock.nowMs())) return { status: "running" };
    const found = await this.#get(leaseRecordKey(pk, nonce));
    const { expiresAtS } = first;
    if (isOutlived(this.#engine, { expiresAtS, leaseRecord: found && readLeaseRecord(found), untilMs: 0 }))
      return { status: "gone" };
    if (found === undefined) return { status: acceptance.startAtMs === undefined ? "ready" : "scheduled" };
    const leaseRecord = readLeaseRecord(found);
    return {
      status:
        leaseRecord.status === "scheduled"
          ? leaseRecord.status
          : this.#status({ after: "running", lease }, leaseRecord),
    };
  }

  #status({ after, lease }: SegmentOutline, leaseRecord: LeaseRecord | undefined): Presented {
    // Only the lease record shows these statuses: the last segment has the status of the moment at which it was written.
    const parked = leaseRecord?.status;
    if (parked === "backing-off" || parked === "paused" || parked === "pending" || parked === "scheduled")
      return parked;
    if (after === "suspended" || (after === "paused" && leaseRecord === undefined)) return after;
    const held = leaseRecord === undefined ? lease : { token: leaseRecord.token, untilMs: leaseRecord.untilMs };
    return isLeased(this.#engine, { lease: held }, this.#engine.clock.nowMs()) ? "running" : "ready";
  }

  async #outline(segment: Item, nonce: Nonce): Promise<SegmentOutline> {
    const [plain] = await reassemble(this.#engine, [segment], nonce);
    return readOutline(plain ?? segment);
  }

  async #get(key: Key): Promise<Item | undefined> {
    const [item] = await this.#charged(async () => [await this.#engine.table.get(key)]);
    return item;
  }

  async #charged<Found extends readonly (Item | undefined)[]>(read: () => Promise<Found>): Promise<Found> {
    if (this.#unitsLeft <= 0) throw new NoReadsLeft();
    this.#unitsLeft--;
    const found = await read();
    // The size of an item is known only after its read, so a large one may overdraw the budget.
    for (const item of found) this.#unitsLeft -= extraUnits(item);
    return found;
  }
}

function endOf(final: Item): ProbeResult {
  return { status: final["tombstone"] === true ? "gone" : "completed" };
}

function extraUnits(item: Item | undefined): number {
  return item?.["b"] instanceof Uint8Array ? Math.floor(item["b"].length / UNIT_BYTES) : 0;
}
