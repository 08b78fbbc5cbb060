/** A segment as an item: the entries of one attempt, the state after it, and the lease of the driver that wrote it. */
import { receiptsFromStored, receiptsToStored } from "./receipts.ts";
import type { EndOutcome } from "../../core/invocation/end-outcome.ts";
import type { Entry } from "../../core/invocation/entry.ts";
import type { Consumption, After, Segment } from "../../core/invocation/segment.ts";
import type { Arrival } from "../../core/invocation/event.ts";
import type { Result } from "../../core/model/failure.ts";
import type { DeploymentId, Nonce, Token } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import {
  bool,
  bytes,
  message,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  uint53,
  type Infer,
} from "../../core/model/proto3.ts";
import { decodeAwait, encodeAwait } from "../../core/protocol/await-codec.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import type { Lease } from "./acceptance-record.ts";
import { entriesOf, framesIn, notificationEntry } from "./entries.ts";
import { segmentIndexOf, segmentKey } from "./item-keys.ts";
import { StoreError, type Item } from "../ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "./record-envelope.ts";
import {
  attemptFailureFromStored,
  attemptFailureToStored,
  resultFromStored,
  resultToStored,
  StoredAttemptFailure,
  StoredRepeats,
  StoredResult,
} from "./stored-values.ts";
import type { TargetTypes } from "../../core/model/target.ts";

type Completed = Extract<After, { kind: "completed" }>;

const AFTER_KINDS = ["running", "suspended", "completed", "paused", "ready"] as const;

/** `frame` is present if the notification came without an arrival item or by an early arrival. */
const StoredTaken = message({ key: string(1), frame: optional(bytes(2)) });

const StoredSegment = message({
  writtenAtMs: uint53(1),
  attemptNumber: optional(uint32(2)),
  startedAtMs: uint53(3),
  endedAtMs: uint53(4),
  deploymentId: optional(string(5)),
  protocolVersion: uint32(6),
  taken: repeated(submessage(7, () => StoredTaken)),
  after: uint32(8),
  awaiting: optional(bytes(9)),
  result: submessage(10, () => StoredResult),
  tombstone: bool(11),
  killed: bool(12),
  policyAttempts: uint32(13),
  sinceEntry: uint32(14),
  failure: submessage(15, () => StoredAttemptFailure),
  frames: bytes(16),
  token: string(17),
  untilMs: uint53(18),
  /** Writes that the driver made for this invocation since the previous segment, including the write of this segment. */
  consumedUnits: uint32(19),
  /** For a pause: true if it came before the first attempt. */
  neverBegan: bool(23),
  leavesQueue: bool(24),
  /** True if the result is the last Output among the frames, where it is stored already. */
  resultInFrames: bool(20),
  grant: optional(uint53(22)),
  /** Keys of the orders that this segment obeys. */
  orders: repeated(string(21)),
  /** The types of the children whose ids are among the frames (`childTypesIn`). */
  childTypes: optional(bytes(25)),
  /** The moments of receipt of the notifications that stand here with their frames, then of the entries (`receiptsToStored`). */
  receipts: repeated(uint53(26)),
  repeats: submessage(27, () => StoredRepeats),
});
type StoredSegment = Infer<typeof StoredSegment>;

export interface SegmentPlace {
  readonly pk: string;
  readonly nonce: Nonce;
  readonly lease: Lease;
  readonly consumedUnits: number;
  readonly expiresAtS: number;
  /** True if the segment ends an invocation that got a cancel. The journal shows the cancel, and the result does not. */
  readonly isCancelled?: boolean;
}

export function segmentItem(place: SegmentPlace, segment: Segment): Item {
  return {
    ...segmentKey(place.pk, place.nonce, segment.index),
    ...(segment.endAlone && { endAlone: true }),
    ...(segment.after.kind === "completed" && endAttributes(segment.after, place.isCancelled)),
    b: sealed(encode(StoredSegment, toStored(place, segment), ENVELOPE_BYTES)),
    expiresAtS: place.expiresAtS,
  };
}

/** These attributes show how the invocation ended, so that a list need not read each final record, which may be large. */
function endAttributes({ result, killed, tombstone }: Completed, isCancelled = false) {
  const failed: EndOutcome = isCancelled ? "cancelled" : "failed";
  const outcome: EndOutcome = killed ? "killed" : result.kind === "success" ? "succeeded" : failed;
  return { end: true, outcome, ...(tombstone && { tombstone }) };
}

function toStored({ lease, consumedUnits }: SegmentPlace, segment: Segment): StoredSegment {
  const { after, attempt, pin, retries, failure, repeats } = segment;
  const childTypes = childTypesIn(segment.entries);
  return {
    writtenAtMs: segment.writtenAtMs,
    startedAtMs: attempt?.startedAtMs ?? 0,
    endedAtMs: attempt?.endedAtMs ?? 0,
    protocolVersion: pin?.protocolVersion ?? 0,
    taken: segment.consumed.map(({ key, entry, inline }) => ({ key, ...(inline && { frame: entry.frame }) })),
    after: AFTER_KINDS.indexOf(after.kind),
    policyAttempts: retries.policyAttempts,
    sinceEntry: retries.sinceEntry,
    frames: framesIn(segment.entries),
    token: lease.token,
    untilMs: lease.untilMs,
    consumedUnits,
    orders: segment.orders ?? [],
    receipts: receiptsToStored(recorded(segment), segment.writtenAtMs),
    ...afterToStored(segment),
    ...(attempt && { attemptNumber: attempt.number }),
    ...(pin && { deploymentId: pin.deploymentId }),
    ...(segment.grant !== undefined && { grant: segment.grant }),
    ...(failure && { failure: attemptFailureToStored(failure) }),
    ...(repeats && { repeats }),
    ...(childTypes && { childTypes }),
  };
}

/** The entries whose frames are in the record; the arrival item of any other notification has its moment. */
function recorded({ consumed, entries }: Segment): readonly Entry[] {
  const inline = consumed.filter((one) => one.inline);
  return inline.length === 0 ? entries : [...inline.map(({ entry }) => entry), ...entries];
}

function afterToStored({ after, entries }: Segment) {
  const none = { tombstone: false, killed: false, resultInFrames: false, neverBegan: false, leavesQueue: false };
  if (after.kind === "running" || after.kind === "ready") return none;
  if (after.kind === "paused") return { ...none, neverBegan: after.neverBegan, leavesQueue: after.leavesQueue };
  if (after.kind === "suspended") return { ...none, awaiting: encodeAwait(after.awaiting) };
  const { tombstone, killed, result } = after;
  const resultInFrames = entries.some(
    (entry) => entry.kind === "command" && entry.command.kind === "output" && entry.command.result === result,
  );
  return { ...none, tombstone, killed, resultInFrames, ...(!resultInFrames && { result: resultToStored(result) }) };
}

/** A segment lists an arrival that the read did not return. */
export class AbsentArrivalError extends StoreError {
  override name = "AbsentArrivalError";
}

/** Finds the arrival of a key that a segment lists; undefined if the read did not return it. */
export type ArrivalLookup = (key: string) => Extract<Arrival, { kind: "notification" }> | undefined;

/** The segments of a journal in order; only the final segment if it counts without the others (`endAlone`). */
export function segmentsThatCount(segments: readonly Item[]): readonly Item[] {
  return segments.at(-1)?.["endAlone"] === true ? segments.slice(-1) : segments;
}

/**
 * @param next the index of this segment, which is one more than the index of the previous segment
 * @throws StoreError if the record cannot be read, AbsentArrivalError if it lists an arrival that the read did not return
 */
export function readSegment(
  next: number,
  item: Item,
  arrivalOf: ArrivalLookup,
): { segment: Segment; lease: Lease; consumedUnits: number } {
  const endAlone = item["endAlone"] === true;
  const stored = decode(StoredSegment, opened(item["b"], `segment ${item.sk}`));
  const { attemptNumber, startedAtMs, endedAtMs, deploymentId, protocolVersion, failure } = stored;
  const receipts = receiptsFromStored(stored.receipts, stored.writtenAtMs);
  const consumed = stored.taken.map((taken) => readTaken(taken, arrivalOf, receipts));
  const entries = withChildTypes(entriesOf(stored.frames, receipts), stored.childTypes);
  const segment: Segment = {
    index: endAlone ? segmentIndexOf(item) : next,
    writtenAtMs: stored.writtenAtMs,
    ...(endAlone && { endAlone }),
    consumed,
    entries,
    after: readAfter(stored, entries),
    retries: { policyAttempts: stored.policyAttempts, sinceEntry: stored.sinceEntry },
    ...(stored.orders.length > 0 && { orders: stored.orders }),
    ...(attemptNumber !== undefined && { attempt: { number: attemptNumber, startedAtMs, endedAtMs } }),
    ...(deploymentId !== undefined && { pin: { deploymentId: deploymentId as DeploymentId, protocolVersion } }),
    ...(stored.grant !== undefined && { grant: stored.grant }),
    ...(failure && { failure: attemptFailureFromStored(failure) }),
    ...(stored.repeats && { repeats: stored.repeats }),
  };
  const { consumedUnits } = stored;
  return { segment, lease: { token: stored.token as Token, untilMs: stored.untilMs }, consumedUnits };
}

/** The keys of the arrivals and orders that a segment lists. @throws StoreError if the record cannot be read */
export function listedIn(item: Item): readonly string[] {
  const { taken, orders } = decode(StoredSegment, opened(item["b"], `segment ${item.sk}`));
  return [...taken.map(({ key }) => key), ...orders];
}

/** The phase, the lease and the deployment of the last segment, without its entries. */
export interface SegmentOutline {
  readonly after: After["kind"];
  readonly lease: Lease;
  readonly deploymentId?: DeploymentId;
}

/** @throws StoreError if the record cannot be read */
export function readOutline(item: Item): SegmentOutline {
  const { after, token, untilMs, deploymentId } = decode(StoredSegment, opened(item["b"], `segment ${item.sk}`));
  return {
    after: AFTER_KINDS[after] ?? "running",
    lease: { token: token as Token, untilMs },
    ...(deploymentId !== undefined && { deploymentId: deploymentId as DeploymentId }),
  };
}

/** The end of an invocation as its final segment has it. */
export interface SegmentEnd {
  readonly result: Result;
  readonly killed: boolean;
  readonly endedAtMs: number;
  /** Both are absent if no attempt ended the invocation, for example after a kill. */
  readonly attempts?: number;
  readonly deploymentId?: DeploymentId;
}

/** @returns undefined for a segment that does not end the invocation @throws StoreError if the record cannot be read */
export function readEnd(item: Item): SegmentEnd | undefined {
  const stored = decode(StoredSegment, opened(item["b"], `segment ${item.sk}`));
  const after = readAfter(stored, stored.resultInFrames ? entriesOf(stored.frames) : []);
  if (after.kind !== "completed") return undefined;
  const { result, killed } = after;
  const { writtenAtMs: endedAtMs, attemptNumber: attempts, deploymentId } = stored;
  return {
    result,
    killed,
    endedAtMs,
    ...(attempts !== undefined && { attempts }),
    ...(deploymentId !== undefined && { deploymentId: deploymentId as DeploymentId }),
  };
}

function readTaken(
  { key, frame }: Infer<typeof StoredTaken>,
  arrivalOf: ArrivalLookup,
  receipts: Iterator<number, undefined>,
): Consumption {
  if (frame === undefined) {
    const arrival = arrivalOf(key);
    if (arrival === undefined) throw new AbsentArrivalError(`a segment lists arrival ${key}, which is not there`);
    return arrival.consumption;
  }
  return { key, entry: notificationEntry(frame, framesOf(frame)[0]?.type ?? 0, receipts.next().value), inline: true };
}

function readAfter(stored: StoredSegment, entries: Segment["entries"]): After {
  switch (AFTER_KINDS[stored.after]) {
    case "paused":
      return { kind: "paused", neverBegan: stored.neverBegan, leavesQueue: stored.leavesQueue };
    case "ready":
      return { kind: "ready" };
    case "suspended":
      return { kind: "suspended", awaiting: decodeAwait(stored.awaiting ?? new Uint8Array(0)) };
    case "completed": {
      const { tombstone, killed } = stored;
      const output = stored.resultInFrames
        ? entries.findLast((entry) => entry.kind === "command" && entry.command.kind === "output")
        : undefined;
      const inFrames =
        output?.kind === "command" && output.command.kind === "output" ? output.command.result : undefined;
      const result = inFrames ?? resultFromStored(stored.result) ?? { kind: "success", value: new Uint8Array(0) };
      return { kind: "completed", result, tombstone, killed };
    }
    default:
      return { kind: "running" };
  }
}

/** A byte is the place of its types in this list. Places never change, because they are stored; 0 stands for unknown types. */
const TYPES: readonly (TargetTypes | undefined)[] = [
  undefined,
  { serviceType: "service", handlerType: "service" },
  { serviceType: "object", handlerType: "exclusive" },
  { serviceType: "object", handlerType: "shared" },
  { serviceType: "workflow", handlerType: "workflow" },
  { serviceType: "workflow", handlerType: "shared" },
];

/** @returns undefined if no entry has the id of a child whose types are known */
function childTypesIn(entries: readonly Entry[]): Uint8Array | undefined {
  let codes: number[] | undefined;
  let ids = 0;
  for (const entry of entries) {
    if (entry.kind !== "notification" || entry.invocationId === undefined) continue;
    const { childTypes } = entry;
    if (childTypes !== undefined) (codes ??= Array<number>(ids).fill(0)).push(codeOf(childTypes));
    else codes?.push(0);
    ids++;
  }
  return codes && Uint8Array.from(codes);
}

function codeOf({ serviceType, handlerType }: TargetTypes): number {
  const at = TYPES.findIndex((one) => one?.serviceType === serviceType && one.handlerType === handlerType);
  return Math.max(0, at);
}

/** @param codes the bytes of `childTypesIn`; absent if no child's types are known */
function withChildTypes(entries: readonly Entry[], codes: Uint8Array | undefined): readonly Entry[] {
  if (codes === undefined) return entries;
  let ids = 0;
  return entries.map((entry) => {
    if (entry.kind !== "notification" || entry.invocationId === undefined) return entry;
    const childTypes = TYPES[codes[ids++] ?? 0];
    return childTypes === undefined ? entry : { ...entry, childTypes };
  });
}
