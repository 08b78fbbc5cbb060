/** Loads an invocation from its partition: the acceptance with every segment folded in, and the fresh arrivals. */
import type { Arrival, Poll } from "../../core/invocation/event.ts";
import { accepted, expiresAtMs, Folding, type Invocation, type Phase } from "../../core/invocation/invocation.ts";
import type { AttemptFailure, Repeats } from "../../core/model/attempt-failure.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { readAcceptance, type Lease } from "./acceptance-record.ts";
import type { StorePorts } from "./store-ports.ts";
import { readLeaseRecord, type LeaseRecord } from "./lease-record.ts";
import { inputEntry } from "./entries.ts";
import { foldItems, type Folded } from "./fold-items.ts";
import { freshArrivals } from "./fresh-arrivals.ts";
import { ACCEPTANCE_SK, ARRIVALS, ARRIVALS_TO_SEGMENTS, invocationPk, segmentsOf } from "./item-keys.ts";
import { StoreError, type Item } from "../ports/table.ts";
import { reassemble } from "./large-record.ts";
import { unlessOutlived } from "./outlived.ts";
import { readInParts, type Parts } from "./parts.ts";
import {
  PLAIN_MAX_BYTES,
  TooLargeError,
  readFirst,
  readPartition,
  usedInTurn,
  type OnBytes,
} from "./read-partition.ts";
import { lastActIn } from "./operator-act.ts";
import type { OperatorAct } from "../ports/submission.ts";
import type { SegmentMoment } from "../../core/invocation/segment-moments.ts";
import { AbsentArrivalError } from "./segment-record.ts";
import { StoredMeasure, type StoredSize } from "./stored-size.ts";
import { countsLeaseAsOver } from "../ports/store-ownership.ts";

export interface Loaded {
  readonly pk: string;
  readonly invocation: Invocation;
  /** The last segment and the invocation before it, as a redo of its effects needs them (I2). */
  readonly last?: { readonly before: Invocation; readonly segment: Segment };
  readonly leaseRecord?: LeaseRecord;
  /** The current lease: from the lease record or from the last segment, whichever is newer. */
  readonly lease: Lease;
  /** Fresh arrivals, by key. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
  /** Keys of fresh arrivals that are left in the table for a driver to read. Every order and cancel came with the load. */
  readonly left?: ReadonlySet<string>;
  /** Present if large results in the journal are empty, because the load left them in the table. */
  readonly leavesResults?: true;
  readonly expiresAtS: number;
  /** Failures in segments, oldest first; failures of attempts that added no entry are failure events. */
  readonly failures: readonly AttemptFailure[];
  /** The repeats of failures that segments show. */
  readonly repeats: readonly Repeats[];
  readonly lastAct?: OperatorAct;
  /** Present if the journal was dropped and the invocation had ended as cancelled. */
  readonly isCancelled?: true;
  /** When each segment was written, in order; only `operator-loads.ts` asks for it, because drivers have no use for it. */
  readonly moments?: readonly SegmentMoment[];
  /** The size of the invocation in the table; as with `moments`, only `operator-loads.ts` asks for it. */
  readonly stored?: StoredSize;
}

const jointLoads = new WeakMap<StorePorts, JointReads<InvocationId, Loaded | undefined>>();

/**
 * Like `load`, but concurrent callers in this process that ask for the same invocation share one load, which begins after their
 * calls. Otherwise a thousand messages to an invocation that waits for a thousand calls would read its journal a thousand times.
 */
export function loadJointly(engine: StorePorts, id: InvocationId): Promise<Loaded | undefined> {
  const known = jointLoads.get(engine);
  const loads = known ?? new JointReads((one: InvocationId) => loadInTurn(engine, one));
  if (known === undefined) jointLoads.set(engine, loads);
  return loads.read(id);
}

/** A process loads an invocation up to this stored size without a check how much memory other journals take. */
export const SMALL_MAX_BYTES = 4 * 1024 * 1024;

const jointSmallLoads = new WeakMap<StorePorts, JointReads<InvocationId, Loaded | undefined>>();

/** As `loadJointly`. @throws TooLargeError for a large invocation */
export function loadSmallJointly(engine: StorePorts, id: InvocationId): Promise<Loaded | undefined> {
  const known = jointSmallLoads.get(engine);
  const loads = known ?? new JointReads((one: InvocationId) => load(engine, one, SMALL_MAX_BYTES));
  if (known === undefined) jointSmallLoads.set(engine, loads);
  return loads.read(id);
}

/** Reads of large journals take turns: otherwise a hundred readers would have a hundred large results in memory. */
async function loadInTurn(engine: StorePorts, id: InvocationId): Promise<Loaded | undefined> {
  return await withLoaded(engine, id, async (loaded) => loaded);
}

/** Loads an invocation and uses it. The load and the use of a large invocation share one turn (`largeLoads`). */
export async function withLoaded<T>(
  engine: StorePorts,
  id: InvocationId,
  use: (loaded: Loaded | undefined) => Promise<T>,
): Promise<T> {
  const { largeLoads } = engine.bulkheads;
  if (largeLoads === undefined) return await use(await load(engine, id));
  return await usedInTurn(largeLoads, id, (sizeMaxBytes) => load(engine, id, sizeMaxBytes), use);
}

/** Options of a load. `moments` adds the moments and sizes of all items; `asHeads` leaves large results in the table. */
export interface LoadChoice {
  readonly moments?: boolean;
  readonly asHeads?: boolean;
}

/**
 * A load without a limit reads a large invocation in parts, and only a few of its fresh arrivals.
 * @param sizeMaxBytes the limit of the stored bytes, and of the unpacked bytes; none by default
 * @param onBytes called with the size of each page, of each unpacked record and of each piece that is read by itself, when it
 *   comes into memory
 * @returns undefined if no acceptance is stored under this id, or if a shared table has begun to delete an ended invocation
 * @throws TooLargeError if the invocation exceeds the limit
 */
export async function load(
  engine: StorePorts,
  id: InvocationId,
  sizeMaxBytes = Infinity,
  onBytes?: OnBytes,
  { moments, asHeads = false }: LoadChoice = {},
): Promise<Loaded | undefined> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const isBounded = sizeMaxBytes < Infinity;
  const [maxBytes, enoughBytes] = isBounded ? [sizeMaxBytes] : [PLAIN_MAX_BYTES, PLAIN_MAX_BYTES / 2];
  const first = await readFirst(engine.table, pk, ARRIVALS_TO_SEGMENTS, maxBytes, enoughBytes);
  if (first.isWhole) {
    await onBytes?.(first.sizeBytes);
    try {
      return await unlessOutlived(engine, first.items, () =>
        loadWhole(engine, id, first.items, isBounded ? sizeMaxBytes : SMALL_MAX_BYTES, onBytes, moments),
      );
    } catch (error) {
      if (isBounded || !(error instanceof TooLargeError)) throw error;
    }
  }
  if (isBounded) throw new TooLargeError(`${pk} has records of more than ${sizeMaxBytes} bytes`);
  const measure = moments === true ? new StoredMeasure() : undefined;
  const parts = await readInParts(engine, pk, first.items, { onBytes, measure, asHeads });
  if (parts === undefined) return undefined;
  const loaded = await unlessOutlived(engine, parts.items, () => assembleInParts(id, pk, parts, measure));
  const { left, leavesResults } = parts;
  return loaded && { ...loaded, ...(left && { left }), ...(leavesResults && { leavesResults }) };
}

/** @param found all items of the invocation, as read */
async function loadWhole(
  engine: StorePorts,
  id: InvocationId,
  found: readonly Item[],
  maxBytes: number,
  onBytes: OnBytes | undefined,
  needsMoments = false,
): Promise<Loaded | undefined> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const nonce = found.find(({ sk }) => sk === ACCEPTANCE_SK)?.["n"] as Nonce | undefined;
  if (nonce === undefined) return undefined;
  let unpackedBytes = 0;
  const onUnpacked: OnBytes = async (bytes) => {
    unpackedBytes += bytes;
    if (unpackedBytes > maxBytes) throw new TooLargeError(`${pk} unpacks to more than ${maxBytes} bytes`);
    await onBytes?.(bytes);
  };
  const items = await reassemble(engine, found, nonce, onUnpacked);
  const acceptance = acceptanceIn(items);
  const measure = needsMoments ? new StoredMeasure() : undefined;
  measure?.add(found);
  try {
    return assemble(id, pk, acceptance, items, items.filter(isArrival), measure);
  } catch (error) {
    if (!(error instanceof AbsentArrivalError)) throw error;
    // I4: a read returns arrivals before segments, so a segment may list an arrival that was written after the arrivals were
    // read.
    const readAgain = await readPartition(engine.table, pk, ARRIVALS, maxBytes, onBytes);
    const arrived = await reassemble(engine, readAgain, nonce, onUnpacked);
    return assemble(id, pk, acceptance, items, [...arrived], measure);
  }
}

function acceptanceIn(items: readonly Item[]): Item {
  return items.find(({ sk }) => sk === ACCEPTANCE_SK)!;
}

function isArrival({ sk }: Item): boolean {
  return sk.startsWith(ARRIVALS.from);
}

/**
 * @param items the items of one life: its segments in order, and its lease record
 * @param arrived the items of its arrivals
 * @param measure a measure that has counted all items in their stored form; present if moments and sizes are needed
 * @throws AbsentArrivalError if a segment lists an arrival that is not in `arrived`
 */
export function assemble(
  id: InvocationId,
  pk: string,
  first: Item,
  items: readonly Item[],
  arrived: Item[],
  measure?: StoredMeasure,
): Loaded {
  const begun = readAcceptance(id, first);
  const folding = foldItems(foldingOf(begun), begun.acceptance.nonce, items, arrived);
  const { done, value } = folding.next();
  if (done !== true) throw new StoreError(`${value.sk} is packed or in pieces`);
  return loadedOf(pk, first, begun, items, arrived, value, measure);
}

/** As `assemble`, for arrivals that are still packed or in pieces. */
async function assembleInParts(
  id: InvocationId,
  pk: string,
  { items, arrived, join }: Parts,
  measure: StoredMeasure | undefined,
): Promise<Loaded> {
  const first = acceptanceIn(items);
  const begun = readAcceptance(id, first);
  const folding = foldItems(foldingOf(begun), begun.acceptance.nonce, items, arrived);
  for (let next = folding.next(); ;) {
    if (next.done === true) return loadedOf(pk, first, begun, items, arrived, next.value, measure);
    const [plain] = await join([next.value]);
    next = folding.next(plain!);
  }
}

function foldingOf({ acceptance }: ReturnType<typeof readAcceptance>): Folding {
  return new Folding(accepted(acceptance, inputEntry(acceptance)));
}

function loadedOf(
  pk: string,
  first: Item,
  { acceptance, lease: firstLease }: ReturnType<typeof readAcceptance>,
  items: readonly Item[],
  arrived: readonly Item[],
  folded: Folded,
  measure: StoredMeasure | undefined,
): Loaded {
  const { nonce } = acceptance;
  const { last, drivenWrites, failures, repeats } = folded;
  let lease = folded.lease ?? firstLease;
  let { invocation } = folded;
  const holdFound = items.find(({ sk }) => sk === `hold#${nonce}`);
  const leaseRecord = holdFound && readLeaseRecord(holdFound);
  if (leaseRecord && leaseRecord.base >= invocation.segmentIndex) {
    lease = { token: leaseRecord.token, untilMs: leaseRecord.untilMs };
    invocation = underHold(invocation, leaseRecord);
  } else if (lease.token !== "" && invocation.phase.status === "ready") {
    // The acceptor drives or drove the invocation: an attempt may have begun without a written trace.
    invocation = { ...invocation, phase: { status: "running" } };
  }
  const isCancelled = last?.segment.endAlone === true && segmentsOf(items, nonce).at(-1)?.["outcome"] === "cancelled";
  const arrivals = freshArrivals(arrived, invocation, nonce);
  const expiresAtS = typeof first["expiresAtS"] === "number" ? first["expiresAtS"] : 0;
  const lastAct = lastActIn(nonce, items, arrived);
  return {
    pk,
    invocation,
    lease,
    arrivals,
    expiresAtS,
    failures,
    repeats,
    ...(last && { last }),
    ...(leaseRecord && { leaseRecord: leaseRecord }),
    ...(lastAct && { lastAct }),
    ...(isCancelled && { isCancelled }),
    ...(measure && { moments: [{ fromEntry: 0, atMs: acceptance.createdAtMs }, ...folded.moments] }),
    ...(measure && { stored: measure.sum(drivenWrites) }),
  };
}

/** The last segment, unless the lease record shows its effects as performed: a driver performs them before it parks (I2). */
export function unperformed({ last, leaseRecord }: Loaded): Loaded["last"] {
  return last !== undefined && (leaseRecord?.performed ?? 0) >= last.segment.index ? undefined : last;
}

/** True if the invocation has ended and the retention of its result is over: its id is free (I6). */
export function hasExpired({ invocation }: Loaded, atMs: number): boolean {
  const goneAtMs = expiresAtMs(invocation);
  return goneAtMs !== undefined && goneAtMs <= atMs;
}

/** True while a driver may have the invocation. */
export function isLeased(engine: StorePorts, { lease }: Pick<Loaded, "lease">, atMs: number): boolean {
  return !countsLeaseAsOver(engine.settings, lease.token, lease.untilMs - atMs);
}

/** True for a parked invocation: its lease record is in the open index, at the moment of the next look. */
export function isParked({ leaseRecord, invocation }: Pick<Loaded, "leaseRecord" | "invocation">): boolean {
  return leaseRecord !== undefined && leaseRecord.untilMs === 0 && leaseRecord.base >= invocation.segmentIndex;
}

/** The poll of a loaded invocation, for a look by a process that does not drive it. */
export function pollOf({ arrivals, left }: Loaded, atMs: number): Poll {
  return { kind: "poll", atMs, arrivals: [...arrivals.values()], isCut: left !== undefined };
}

interface Reading<V> {
  readonly outcome: Promise<V>;
  /** The next read, for callers that came during this read: this read may miss writes made after it began. */
  next?: Promise<V>;
}

/** Shares reads between concurrent callers: each caller gets a read that begins after its request. */
export class JointReads<K, V> {
  readonly #read: (key: K) => Promise<V>;
  readonly #readings = new Map<K, Reading<V>>();

  constructor(read: (key: K) => Promise<V>) {
    this.#read = read;
  }

  read(key: K): Promise<V> {
    const reading = this.#readings.get(key);
    if (reading === undefined) return this.#begin(key);
    const again = () => this.#begin(key);
    return (reading.next ??= reading.outcome.then(again, again));
  }

  #begin(key: K): Promise<V> {
    const reading: Reading<V> = { outcome: this.#read(key) };
    this.#readings.set(key, reading);
    const over = () => {
      if (reading.next === undefined) this.#readings.delete(key);
    };
    reading.outcome.then(over, over);
    return reading.outcome;
  }
}

/** @param leaseRecord a lease record that is not older than the last segment */
function underHold(invocation: Invocation, leaseRecord: LeaseRecord): Invocation {
  if (invocation.phase.status === "completed") return invocation;
  const { neverBegan = false, ...kept } = invocation;
  // If only the lease record shows the pause, an attempt may have begun before it, and may have killed its process before the
  // process wrote a segment.
  const mayHaveBegun = leaseRecord.status === "paused" && invocation.phase.status !== "paused";
  return {
    ...kept,
    ...(neverBegan && !mayHaveBegun && { neverBegan }),
    phase: phaseUnder(invocation.phase, leaseRecord),
    attempts: Math.max(invocation.attempts, leaseRecord.attempts),
    retries: leaseRecord.retries,
    ...(leaseRecord.lastFailure && { lastFailure: leaseRecord.lastFailure }),
  };
}

function phaseUnder(phase: Phase, { status, untilMs, wakeAtMs }: LeaseRecord): Phase {
  switch (status) {
    case "backing-off":
      return { status, retryAtMs: wakeAtMs ?? 0 };
    case "paused":
    case "pending":
      return { status };
    case "running":
      // A lease that was over before the scheduled start served only to end the invocation or to park it again: no attempt has
      // begun under the lease.
      if (phase.status === "scheduled" && untilMs < phase.startAtMs) return phase;
      return phase.status === "ready" || phase.status === "scheduled" ? { status } : phase;
    case "ready":
    case "scheduled":
    case "suspended":
    case "completed":
      return phase;
  }
}
