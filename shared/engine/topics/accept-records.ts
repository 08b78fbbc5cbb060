/** Accepts records of one partition: each becomes one invocation, even if its batch comes again. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { deadlinesFor } from "../../core/invocation/deadlines.ts";
import type { Route } from "../../core/model/deployment.ts";
import { INVOCATION_ID_BYTES, invocationIdFromBytes, type InvocationId } from "../../core/model/ids.ts";
import { consumerOptions, parseSource, parseSink } from "../../core/registry/subscription.ts";
import {
  isAccepted,
  isBehind,
  isOutdated,
  isUnmoved,
  isUntouched,
  movedTo,
  positionNow,
  withAccepted,
  type Position,
} from "../../core/topics/position.ts";
import { badRecordPolicy } from "../../core/topics/subscription-state.ts";
import {
  recordIdentity,
  requestOf,
  type RecordOrigin,
  type RecordRequest,
  type TopicRecord,
} from "../../core/topics/topic-record.ts";
import { newNonce } from "../accept/accept.ts";
import { NO_SLOTS } from "../admission/worker-slots.ts";
import { workflowId } from "../accept/invocation-ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { acceptAndDrive, acceptAndStart, drivesAtOnce } from "../ingress/send.ts";
import type { RecordBatch, RecordsOutcome } from "../ports/topics.ts";
import { readKafka } from "../register/kafka-items.ts";
import { readPosition, writePosition, type StoredPosition } from "./position-items.ts";
import { pauseAtRecord, type BadRecord } from "./subscription-orders.ts";
import type { Target, HandlerType } from "../../core/model/target.ts";
import { readTraceparent, traceparentText } from "../../core/model/trace-context.ts";
import { contextBelow, nameOf, targetAttributes } from "../traces.ts";
import { CodedError } from "../../core/errors/coded-error.ts";
import { deprecation } from "../ports/protocol-range.ts";
import type { EffectiveSettings } from "../../core/model/service.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { retentionOf } from "../store/ttl.ts";

/**
 * The longest time for which the acceptance of a record waits, to be written together with the first segment. It is longer than
 * for a call, because no caller waits for the acceptance. Each handler that ends within this time saves two writes and a message.
 */
const JOINED_WITHIN_MS = 400;

/**
 * A record waits for a slot of the worker as long as other invocations of its service take slots and give them back. If no
 * invocation does so for this time, for example because all handlers hang, the record goes through the queue. The way through
 * the queue costs several times as much, so a process that is behind would fall behind further with each such record.
 */
const SLOT_PATIENCE_MS = 500;
const SLOT_LOOK_MS = 20;

/** How the records of one batch are accepted. */
interface Way {
  readonly position: Position;
  readonly route: Route;
  /** The consumer group, for traces. */
  readonly group: string;
  /** True if records that no process has begun are driven here at once. */
  readonly drivesAtOnce: boolean;
}

interface Sorted {
  /** The records that are not accepted yet, up to the first bad one under the policy `pause`. */
  readonly fresh: readonly { readonly record: TopicRecord; readonly request: RecordRequest }[];
  readonly duplicates: number;
  readonly skipped: number;
  /** The record before which the subscription pauses. */
  readonly stopAt?: BadRecord;
}

/**
 * Resolves when the acceptances and then the position are durable, so the caller may commit `nextOffset` for its group. If
 * the process dies or the store fails before, the batch comes again: the position and the derived ids then show which records
 * are accepted already.
 * @throws StoreError
 */
export async function acceptRecords(engine: Engine, batch: RecordBatch): Promise<RecordsOutcome> {
  const { subscription, partition, topicId, resetNumber, records } = batch;
  const { cluster, topic } = parseSource(subscription.source);
  const origin = { subscriptionId: subscription.id, topic, partition };
  const [before, kafka, routing] = await Promise.all([
    readPosition(engine, subscription.id, partition),
    readKafka(engine),
    sinkRoute(engine, subscription.sink),
  ]);
  const { reset, pause } = kafka.stateOf(subscription.id);
  const isRemoved = !kafka.subscriptions.some(({ id }) => id === subscription.id);
  const position = positionNow(before?.position, { reset, partition, topicId, records });
  const nothing = { nextOffset: records[0]?.offset ?? position.nextOffset, accepted: 0, duplicates: 0, skipped: 0 };
  // The source may deliver for a while after a removal, a reset or a pause. A batch that was read before a reset must neither count
  // as the reset, nor be accepted under its number.
  if (isRemoved || isOutdated(resetNumber, reset, before?.position)) return { ...nothing, kind: "outdated" };
  if (pause !== undefined) return { ...nothing, kind: "paused", pause };
  if (routing.kind === "blocked") return { ...nothing, kind: "blocked", reason: routing.reason };
  const sorted = sort(engine, batch, origin, position, routing.route);
  const { fresh } = sorted;
  const last = sorted.stopAt?.offset ?? (records.at(-1)?.offset ?? -1) + 1;
  const drives =
    drivesAtOnce(engine, routing.route) && fresh.some(({ record }) => isUntouched(position, record.offset));
  const begun = drives ? await writeBegun(engine, origin, { ...position, begunTo: last }, before) : undefined;
  const options = consumerOptions(
    subscription,
    kafka.clusters.find(({ name }) => name === cluster),
  );
  const way = { position, route: routing.route, group: options["group.id"], drivesAtOnce: begun !== undefined };
  const made = await acceptAll(engine, origin, way, fresh);
  const accepted = records.filter(({ offset }) => offset < last);
  const moved = withAccepted(movedTo(position, last, made[0], sorted.skipped), accepted);
  await writeMoved(engine, origin, moved, begun ?? before);
  const counts = {
    nextOffset: last,
    accepted: made.length,
    duplicates: sorted.duplicates + fresh.length - made.length,
    skipped: sorted.skipped,
  };
  countRecords(engine, counts);
  if (sorted.stopAt === undefined) return { kind: "accepted", ...counts };
  return { kind: "paused", ...counts, pause: await pauseAtRecord(engine, subscription.id, sorted.stopAt) };
}

function sort(
  engine: Engine,
  { subscription, partition, records }: RecordBatch,
  origin: RecordOrigin,
  position: Position,
  { handler }: Route,
): Sorted {
  const limits = { valueMaxBytes: engine.settings.recordSizeMaxBytes };
  const policy = badRecordPolicy(subscription.options);
  const fresh: { readonly record: TopicRecord; readonly request: RecordRequest }[] = [];
  let [duplicates, skipped] = [0, 0];
  for (const record of records) {
    if (isAccepted(position, record)) {
      duplicates++;
      continue;
    }
    const request = requestOf(record, origin, handler.type, limits);
    if (request.kind === "request") {
      fresh.push({ record, request });
      continue;
    }
    const { reason, detail } = request;
    const bad = { partition, offset: record.offset, reason, detail };
    if (policy === "pause") return { fresh, duplicates, skipped, stopAt: bad };
    engine.log.write("record.skipped", { subscriptionId: subscription.id, ...bad });
    skipped++;
  }
  return { fresh, duplicates, skipped };
}

/**
 * If the handler is exclusive, accepts the records of each key one after the other, in order (I6). Accepts records of
 * different keys, and all records for other handlers, at the same time.
 * @returns the offsets of the records that have become new invocations, in order
 */
async function acceptAll(engine: Engine, origin: RecordOrigin, way: Way, fresh: Sorted["fresh"]): Promise<number[]> {
  const lanes = new Map<string, Sorted["fresh"][number][]>();
  const keepsOrder = way.route.handler.type === "exclusive";
  for (const [at, one] of fresh.entries()) {
    const lane = keepsOrder ? (one.request.key ?? "") : String(at);
    const begun = lanes.get(lane);
    if (begun === undefined) lanes.set(lane, [one]);
    else begun.push(one);
  }
  const made = await atMost(AT_ONCE, [...lanes.values()], async (lane) => {
    const offsets: number[] = [];
    for (const one of lane) if (await acceptOne(engine, origin, way, one)) offsets.push(one.record.offset);
    return offsets;
  });
  return made.flat().toSorted((a, b) => a - b);
}

/** @returns false if the invocation exists already */
async function acceptOne(
  engine: Engine,
  origin: RecordOrigin,
  { position, route, group, drivesAtOnce }: Way,
  { record, request }: Sorted["fresh"][number],
): Promise<boolean> {
  const { service, handler, settings } = route;
  const target = {
    service: service.name,
    handler: handler.name,
    ...(request.key !== undefined && { key: request.key }),
  };
  const isRun = handler.type === "workflow";
  const span = recordSpan(engine, { ...origin, group, offset: record.offset }, target, request.traceparent);
  const createdAtMs = engine.clock.nowMs();
  const acceptance: Acceptance = {
    id: isRun
      ? workflowId(engine, target)
      : invocationIdFromBytes(
          engine.ids.derive(recordIdentity(origin, record, position.resetNumber), INVOCATION_ID_BYTES),
        ),
    nonce: newNonce(engine),
    target,
    serviceType: service.type,
    handlerType: handler.type,
    input: request.input,
    headers: request.headers,
    source: { kind: "subscription", subscriptionId: origin.subscriptionId },
    createdAtMs,
    ...deadlinesFor({}, settings, engine.settings.endGraceMs, { createdAtMs }),
    ...topicRetention(settings, handler.type),
    ...(span.traceparent !== undefined && { traceparent: span.traceparent }),
  };
  const drive = (): Promise<boolean> => acceptAndDrive(engine, acceptance, route, JOINED_WITHIN_MS);
  const isDriven =
    drivesAtOnce &&
    isUntouched(position, record.offset) &&
    (await driveInSlot(engine, origin.subscriptionId, service.name, drive));
  // Only the invocation of this record gets the id that is derived from the record. So if a life exists under that id, even an
  // expired one, the record was accepted before. The id of a workflow's run is not derived from the record.
  const isNew = isDriven || (await acceptAndStart(engine, acceptance, () => !isRun)).kind === "new";
  span.end(acceptance.id);
  return isNew;
}

/**
 * A record takes no turn while it waits for a slot, so that other subscriptions do not wait with it.
 * @param drive returns false if the worker has no slot for the service
 * @returns false if no slot became free in time; the record is then still not accepted
 */
async function driveInSlot(
  engine: Engine,
  subscriptionId: string,
  service: string,
  drive: () => Promise<boolean>,
): Promise<boolean> {
  const { activeInvocations, bulkheads, clock } = engine;
  let untilMs = clock.nowMs() + SLOT_PATIENCE_MS;
  for (let lastMove = activeInvocations.slots.lastMoveOf(service); ;) {
    if (await bulkheads.recordTurns.take(subscriptionId, drive)) return true;
    const { slots } = activeInvocations;
    if (slots === NO_SLOTS || activeInvocations.stopping) return false;
    if (slots.lastMoveOf(service) !== lastMove) {
      lastMove = slots.lastMoveOf(service);
      untilMs = clock.nowMs() + SLOT_PATIENCE_MS;
    }
    const leftMs = untilMs - clock.nowMs();
    // If the clock was set back, the patience counts as over.
    if (leftMs <= 0 || leftMs > SLOT_PATIENCE_MS) return false;
    await clock.sleep(SLOT_LOOK_MS);
  }
}

/**
 * Stores which records this process is about to begin, so that after a crash all other records are known as untouched.
 * @returns undefined if another process has written the position since
 */
async function writeBegun(
  engine: Engine,
  { subscriptionId: id, partition }: RecordOrigin,
  begun: Position,
  before: StoredPosition | undefined,
): Promise<StoredPosition | undefined> {
  return await writePosition(
    engine,
    { id, partition },
    { ...begun, begunTo: Math.max(begun.begunTo ?? 0, before?.position.begunTo ?? 0) },
    before,
  );
}

/** If another process has written the position meanwhile, the later of the two positions stays. */
async function writeMoved(
  engine: Engine,
  { subscriptionId: id, partition }: RecordOrigin,
  moved: Position,
  before: StoredPosition | undefined,
): Promise<void> {
  if (before !== undefined && isUnmoved(before.position, moved)) return;
  const now = { ...moved, writtenAtMs: engine.clock.nowMs() };
  for (let stored = before; (await writePosition(engine, { id, partition }, now, stored)) === undefined;) {
    stored = await readPosition(engine, id, partition);
    if (stored !== undefined && isBehind(now, stored.position)) return;
  }
}

function countRecords({ meter }: Engine, { accepted, duplicates, skipped }: Omit<RecordsOutcome, "kind">): void {
  for (const [outcome, count] of Object.entries({ accepted, duplicate: duplicates, skipped }))
    if (count > 0) meter.count("topic_records_total", { outcome }, count);
}

/** The span of accepting a record, between the trace of its producer and the invocation. */
interface RecordSpan {
  /** The trace context of the invocation. */
  readonly traceparent?: string;
  end(id: InvocationId): void;
}

/** @param traceparent the trace context of the record */
function recordSpan(
  engine: Engine,
  { topic, partition, group, offset }: RecordOrigin & { readonly group: string; readonly offset: number },
  target: Target,
  traceparent: string | undefined,
): RecordSpan {
  const { tracer, clock } = engine;
  const parent = traceparent === undefined ? undefined : readTraceparent(traceparent);
  if (tracer === undefined || parent?.sampled === false)
    return { ...(traceparent !== undefined && { traceparent }), end: () => undefined };
  const context = contextBelow(engine, parent);
  const startedAtMs = clock.nowMs();
  return {
    traceparent: traceparentText(context),
    end: (id) =>
      tracer.record({
        traceId: context.traceId,
        spanId: context.spanId,
        ...(parent && { parentSpanId: parent.spanId }),
        kind: "consumer",
        name: `ingress_kafka ${nameOf(target)}`,
        startedAtMs,
        endedAtMs: clock.nowMs(),
        attributes: {
          ...targetAttributes(target, id),
          "messaging.system": "kafka",
          "messaging.operation.type": "process",
          "messaging.consumer.group.name": group,
          "messaging.source.name": topic,
          "messaging.source.partition.id": partition,
          "messaging.kafka.offset": offset,
        },
      }),
  };
}

/** The handler that the records of a subscription invoke, and how long their invocations are kept. */
type SinkRoute =
  | { readonly kind: "route"; readonly route: Route }
  | { readonly kind: "blocked"; readonly reason: string };

/** A handler that is gone is no fault of the record: the subscription waits until the handler is registered again. */
async function sinkRoute(engine: Engine, sink: string): Promise<SinkRoute> {
  const { service, handler } = parseSink(sink);
  const routing = await engine.registry.route(service, handler);
  if (!routing.found)
    return { kind: "blocked", reason: `the handler '${service}/${handler}' of the sink is not registered any more` };
  const deprecated = deprecation(engine.settings, routing.route.deployment);
  if (deprecated !== undefined) return { kind: "blocked", reason: new CodedError("RT0020", deprecated).message };
  return { kind: "route", route: routing.route };
}

/**
 * A batch may come again until its position is durable, and a process that dies before that write may stay down for
 * long. For a day, the kept end of the invocation prevents a second acceptance of its record; a run of a workflow keeps
 * the retention of workflows.
 */
function topicRetention(
  settings: EffectiveSettings,
  handlerType: HandlerType,
): { completionRetentionMs: number; journalRetentionMs: number } {
  const kept = retentionOf(settings, false, handlerType);
  if (handlerType === "workflow") return kept;
  return { ...kept, completionRetentionMs: Math.max(kept.completionRetentionMs, DAY_MS) };
}
