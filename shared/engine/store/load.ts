/** Loads an invocation from its partition: the acceptance with every segment folded in, and the fresh arrivals. */
import { livesOnce } from "../../core/invocation/acceptance.ts";
import type { Arrival } from "../../core/invocation/event.ts";
import { accepted, expiresAtMs, fold, Folding, type Invocation, type Phase } from "../../core/invocation/invocation.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { PROTOCOL_VERSION_MAX, isProtocolVersion } from "../../core/protocol/version.ts";
import { type Lease, readAcceptance } from "./acceptance-record.ts";
import { readArrival } from "./arrival-record.ts";
import type { StorePorts } from "./store-ports.ts";
import { type LeaseRecord, readLeaseRecord } from "./lease-record.ts";
import { inputEntry } from "./input-entry.ts";
import { ACCEPTANCE_SK, ARRIVALS, ARRIVALS_TO_SEGMENTS, EARLY, invocationPk, uniquePart } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { JointReads } from "./joint-reads.ts";
import { reassemble } from "./large-record.ts";
import { type OnBytes, readPartition, TooLargeError } from "./read-partition.ts";
import { lastActIn } from "./operator-act.ts";
import type { OperatorAct } from "../ports/submission.ts";
import { momentOf, type SegmentMoment } from "../../core/invocation/segment-moments.ts";
import { AbsentArrivalError, readSegment, segmentsThatCount } from "./segment-record.ts";
import { type StoredSize, storedSize } from "./stored-size.ts";

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
  readonly expiresAtS: number;
  /** Failures in segments, oldest first; failures of attempts that added no entry are failure events. */
  readonly failures: readonly AttemptFailure[];
  readonly lastAct?: OperatorAct;
  /** Present if the journal was dropped and the invocation had ended as cancelled. */
  readonly isCancelled?: true;
  /** When each segment was written, in order; only `loadWithMoments` fills it, because drivers have no use for it. */
  readonly moments?: readonly SegmentMoment[];
  /** The size of the invocation in the table; like `moments`, only `loadWithMoments` fills it. */
  readonly stored?: StoredSize;
}

/** About one page of a query of the table. Reads of larger invocations take turns. */
const PLAIN_MAX_BYTES = 1024 * 1024;

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

/** An invocation up to this stored size is loaded without a check of the memory that other journals take. */
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
  const { largeLoads } = engine.bulkheads;
  if (largeLoads === undefined) return await load(engine, id);
  try {
    return await load(engine, id, PLAIN_MAX_BYTES);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
  }
  return await largeLoads.take(id, () => load(engine, id));
}

/** As `load`, with the moment of each segment, for the views of operators. @throws TooLargeError */
export function loadWithMoments(
  engine: StorePorts,
  id: InvocationId,
  sizeMaxBytes = Infinity,
): Promise<Loaded | undefined> {
  return load(engine, id, sizeMaxBytes, undefined, true);
}

/**
 * @param sizeMaxBytes the limit of the stored bytes, and of the unpacked bytes; none by default
 * @param onBytes called with the size of each page, of each unpacked record and of each piece that is read by itself, when it
 *   comes into memory
 * @returns undefined if no acceptance is stored under this id
 * @throws TooLargeError
 */
export async function load(
  engine: StorePorts,
  id: InvocationId,
  sizeMaxBytes = Infinity,
  onBytes?: OnBytes,
  needsMoments = false,
): Promise<Loaded | undefined> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const found = await readPartition(engine.table, pk, ARRIVALS_TO_SEGMENTS, sizeMaxBytes, onBytes);
  const nonce = found.find(({ sk }) => sk === ACCEPTANCE_SK)?.["n"] as Nonce | undefined;
  if (nonce === undefined) return undefined;
  let unpackedBytes = 0;
  const onUnpacked: OnBytes = async (bytes) => {
    unpackedBytes += bytes;
    if (unpackedBytes > sizeMaxBytes) throw new TooLargeError(`${pk} unpacks to more than ${sizeMaxBytes} bytes`);
    await onBytes?.(bytes);
  };
  const items = await reassemble(engine, found, nonce, onUnpacked);
  const acceptance = items.find(({ sk }) => sk === ACCEPTANCE_SK)!;
  const measured = needsMoments ? found : undefined;
  try {
    return assemble(id, pk, acceptance, items, items.filter(isArrival), measured);
  } catch (error) {
    if (!(error instanceof AbsentArrivalError)) throw error;
    // I4: a read returns arrivals before segments, so a segment may list an arrival that was written after the arrivals were
    // read.
    const readAgain = await readPartition(engine.table, pk, ARRIVALS, sizeMaxBytes, onBytes);
    const arrived = await reassemble(engine, readAgain, nonce, onUnpacked);
    return assemble(id, pk, acceptance, items, arrived, measured);
  }
}

function isArrival({ sk }: Item): boolean {
  return sk.startsWith(ARRIVALS.from);
}

/**
 * @param items the items of one life: its segments in order, and its lease record
 * @param arrived the items of its arrivals
 * @param measured all items as read; given if moments and sizes are needed
 * @throws AbsentArrivalError
 */
export function assemble(
  id: InvocationId,
  pk: string,
  first: Item,
  items: readonly Item[],
  arrived: readonly Item[],
  measured?: readonly Item[],
): Loaded {
  const { acceptance, lease: firstLease } = readAcceptance(id, first);
  const { nonce } = acceptance;
  const folding = new Folding(accepted(acceptance, inputEntry(acceptance)));
  let lease = firstLease;
  let last: Loaded["last"];
  let drivenWrites = 0;
  const failures: AttemptFailure[] = [];
  const moments: SegmentMoment[] | undefined = measured && [{ fromEntry: 0, atMs: acceptance.createdAtMs }];
  const byKey = new Map(arrived.map((item) => [item.sk, item]));
  const arrivalOf = (key: string) => {
    const item = byKey.get(`arr#${nonce}#${key}`);
    const { invocation: sofar } = folding;
    const arrival = item && readArrival(item, nonce, sofar.journal, versionOf(sofar));
    return arrival?.kind === "notification" ? arrival : undefined;
  };
  for (const item of segmentsThatCount(segmentsOf(items, nonce))) {
    // The last segment is not folded in place: a redo of its effects needs the invocation before it.
    if (last !== undefined) folding.add(last.segment);
    const read = readSegment(folding.invocation.segmentIndex + 1, item, arrivalOf);
    last = { before: folding.invocation, segment: read.segment };
    lease = read.lease;
    drivenWrites += read.consumedUnits;
    moments?.push(momentOf(last.before, last.segment));
    if (read.segment.failure !== undefined) failures.push(read.segment.failure);
  }
  let invocation = last === undefined ? folding.invocation : fold(last.before, last.segment);
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
    ...(last && { last }),
    ...(leaseRecord && { leaseRecord: leaseRecord }),
    ...(lastAct && { lastAct }),
    ...(isCancelled && { isCancelled }),
    ...(moments && { moments }),
    ...(measured && { stored: storedSize(measured, drivenWrites) }),
  };
}

/** The segments of this life in order; segments of former lives have another nonce (I12). */
function segmentsOf(items: readonly Item[], nonce: Nonce): readonly Item[] {
  return items.filter(({ sk }) => sk.startsWith(`seg#${nonce}#`));
}

export function freshArrivals(arrived: readonly Item[], invocation: Invocation, nonce: Nonce): Map<string, Arrival> {
  const fresh = new Map<string, Arrival>();
  for (const item of arrived) {
    const owner = isEarly(item.sk) && livesOnce(invocation.acceptance) ? EARLY : nonce;
    const key = uniquePart(item.sk, "arr", owner);
    // An early arrival precedes any other arrival, in key order too. If two arrivals have one key, the first counts.
    if (key === undefined || invocation.consumed.has(key) || fresh.has(key)) continue;
    const arrival = readArrival(item, owner, invocation.journal, versionOf(invocation));
    if (arrival !== undefined) fresh.set(key, owner === EARLY ? inSegment(arrival) : arrival);
  }
  return fresh;
}

function isEarly(sk: string): boolean {
  return sk.startsWith(`arr#${EARLY}#`);
}

/** The segment that lists an early arrival also contains it, so that versions without early arrivals can read the journal. */
function inSegment(arrival: Arrival): Arrival {
  return arrival.kind === "notification"
    ? { ...arrival, consumption: { ...arrival.consumption, inline: true } }
    : arrival;
}

/** Before the pin the latest version is assumed: versions differ here only in the metadata of failures. */
export function versionOf({ pin }: Invocation): 5 | 6 | 7 {
  return pin !== undefined && isProtocolVersion(pin.protocolVersion) ? pin.protocolVersion : PROTOCOL_VERSION_MAX;
}

/** Adds what only the lease record contains: the kind of the park, the number of attempts, the last failure. */
function underHold(invocation: Invocation, leaseRecord: LeaseRecord): Invocation {
  if (invocation.phase.status === "completed") return invocation;
  const { neverBegan = false, ...kept } = invocation;
  // A pause by the lease record alone follows an attempt, which may have ended its process without a trace.
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
      // A lease that was over before the start served only to end the invocation or to park it again: no attempt has begun
      // under it.
      if (phase.status === "scheduled" && untilMs < phase.startAtMs) return phase;
      return phase.status === "ready" || phase.status === "scheduled" ? { status } : phase;
    case "ready":
    case "scheduled":
    case "suspended":
    case "completed":
      return phase;
  }
}

/** The last segment, unless its effects are known to be performed (I2); a driver performs them before it parks. */
export function unperformed({ last, leaseRecord }: Loaded): Loaded["last"] {
  return last !== undefined && (leaseRecord?.performed ?? 0) >= last.segment.index ? undefined : last;
}

/** True if the invocation has ended and the retention of its result is over: its id is free (I6). */
export function hasExpired({ invocation }: Loaded, atMs: number): boolean {
  const goneAtMs = expiresAtMs(invocation);
  return goneAtMs !== undefined && goneAtMs <= atMs;
}

/** True while a driver may have the invocation. A sole owner ignores the leases of other processes. */
export function isLeased(engine: StorePorts, { lease }: Pick<Loaded, "lease">, atMs: number): boolean {
  const { exclusiveOwnerPrefix } = engine.settings;
  if (exclusiveOwnerPrefix !== undefined && !lease.token.startsWith(`${exclusiveOwnerPrefix}.`)) return false;
  return lease.untilMs > atMs;
}

/** True for a parked invocation: its lease record is in the open index, at the moment of the next look. */
export function isParked({ leaseRecord, invocation }: Pick<Loaded, "leaseRecord" | "invocation">): boolean {
  return leaseRecord !== undefined && leaseRecord.untilMs === 0 && leaseRecord.base >= invocation.segmentIndex;
}
