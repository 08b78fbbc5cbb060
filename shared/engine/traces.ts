/**
 * The spans of invocations and their attempts, with the names, parents and attributes of the reference server, so that dashboards
 * and tests that read its traces read these; while traces are off, no span is reported.
 */
import type { Acceptance } from "../core/invocation/acceptance.ts";
import type { AttemptEnded } from "../core/invocation/event.ts";
import type { Invocation } from "../core/invocation/invocation.ts";
import type { Segment } from "../core/invocation/segment.ts";
import { hex } from "../core/model/hex.ts";
import { type Target, targetText } from "../core/model/target.ts";
import { readTraceparent, traceparentText, type TraceContext } from "../core/model/trace-context.ts";
import type { Engine } from "./engine.ts";
import type { ActiveInvocation } from "./local/active-invocation.ts";
import type { Span, Tracer } from "./ports/tracer.ts";

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** The message of a failure comes from the handler, and may have megabytes. */
const FAILURE_MAX_CHARS = 1_000;
/** The number of attempts of an invocation while its first one runs. */
const FIRST = 1;

/**
 * The context of the span `invocation-start`, below which all other spans of an invocation are. Every process derives the same id,
 * so that the attempts of all drivers are below that span. The trace id is the caller's, or comes from the same derivation (I7).
 * The derivation includes the invocation id, because a restart that keeps the journal also keeps the nonce.
 */
export function invocationContext({ ids }: Engine, acceptance: Acceptance): TraceContext {
  const { id, nonce } = acceptance;
  const bytes = ids.derive(["span", id, nonce], SPAN_ID_BYTES + TRACE_ID_BYTES);
  const caller = callerOf(acceptance);
  const joined = isDetached(acceptance) ? undefined : caller;
  return {
    traceId: joined?.traceId ?? hex(bytes.subarray(SPAN_ID_BYTES)),
    spanId: hex(bytes.subarray(0, SPAN_ID_BYTES)),
    sampled: caller?.sampled ?? true,
  };
}

/** The span that caused the invocation, as its acceptance has it. */
function callerOf({ traceparent }: Acceptance): TraceContext | undefined {
  return traceparent === undefined ? undefined : readTraceparent(traceparent);
}

/**
 * True for an invocation that a handler sent: its sender does not wait, and it may run months later, so it begins a trace of its own,
 * which links to the span of its sender.
 */
function isDetached({ source }: Acceptance): boolean {
  return source.kind === "send";
}

/**
 * The context of an attempt's span. Its id is derived, too: a child is below the attempt that asked for it, and a process that
 * performs the effects of the attempt again passes on the same parent (I7).
 */
function attemptContext(engine: Engine, acceptance: Acceptance, number: number): TraceContext {
  const { id, nonce } = acceptance;
  const spanId = hex(engine.ids.derive(["span-attempt", id, nonce, String(number)], SPAN_ID_BYTES));
  return { ...invocationContext(engine, acceptance), spanId };
}

/**
 * The trace context for children: the attempt that asked for them if traces are on, else the context of its acceptance.
 * @param attempt the number of that attempt
 */
export function traceparentBelow(engine: Engine, acceptance: Acceptance, attempt: number): string | undefined {
  if (engine.tracer === undefined) return acceptance.traceparent;
  return traceparentText(attemptContext(engine, acceptance, attempt));
}

/** The trace that shows an invocation; undefined if it belongs to none. */
export function traceIdOf(engine: Engine, acceptance: Acceptance): string | undefined {
  if (engine.tracer !== undefined) return invocationContext(engine, acceptance).traceId;
  const { traceparent } = acceptance;
  return traceparent === undefined ? undefined : readTraceparent(traceparent)?.traceId;
}

/** A span with a random id, below `parent` or, without a parent, at the root of a new trace. */
export function contextBelow({ ids }: Engine, parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? hex(ids.random(TRACE_ID_BYTES)),
    spanId: hex(ids.random(SPAN_ID_BYTES)),
    sampled: parent?.sampled ?? true,
  };
}

export function beginAttempt(engine: Engine, active: ActiveInvocation): void {
  const { acceptance, attempts } = active.invocation;
  active.attempt.beginSpan(attemptContext(engine, acceptance, attempts));
  if (attempts === FIRST) traceStart(engine, acceptance, engine.clock.nowMs());
}

/**
 * Records the span from the acceptance to the first attempt, or to the end of an invocation that had none. It is recorded when the
 * attempt begins, so that a collector shows an invocation while it runs.
 */
function traceStart(engine: Engine, acceptance: Acceptance, endedAtMs: number): void {
  const { traceId, spanId, sampled } = invocationContext(engine, acceptance);
  if (engine.tracer === undefined || !sampled) return;
  const caller = callerOf(acceptance);
  const parentSpanId = isDetached(acceptance) ? undefined : caller?.spanId;
  record(engine.tracer, `invocation-start ${nameOf(acceptance.target)}`, {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(isDetached(acceptance) && caller && { cause: { traceId: caller.traceId, spanId: caller.spanId } }),
    kind: "internal",
    startedAtMs: acceptance.createdAtMs,
    endedAtMs,
    attributes: { ...attributesOf(acceptance), "stepwell.invocation.source": acceptance.source.kind },
  });
}

export function traceAttempt(engine: Engine, active: ActiveInvocation, { attempt, ending, pin }: AttemptEnded): void {
  const { span, events } = active.attempt;
  active.attempt.endSpan();
  if (engine.tracer === undefined || span?.sampled !== true) return;
  const { acceptance } = active.invocation;
  const failure = ending.kind === "failed" ? ending.failure : undefined;
  record(engine.tracer, `invocation-attempt ${nameOf(acceptance.target)}`, {
    traceId: span.traceId,
    // The driver that took the invocation over makes an attempt of the same number, whose span has the derived id.
    spanId: active.lease.isLost ? hex(engine.ids.random(SPAN_ID_BYTES)) : span.spanId,
    parentSpanId: invocationContext(engine, acceptance).spanId,
    kind: "client",
    startedAtMs: attempt.startedAtMs,
    endedAtMs: attempt.endedAtMs,
    attributes: {
      "rpc.system": "restate",
      ...attributesOf(acceptance),
      "stepwell.attempt.number": attempt.number,
      "stepwell.attempt.ending": active.lease.isLost ? "lost" : ending.kind,
      ...(pin.deploymentId !== "" && {
        "restate.deployment.id": pin.deploymentId,
        "restate.deployment.service_protocol_version": String(pin.protocolVersion),
      }),
      ...(failure && { "error.type": failure.errorCode }),
    },
    ...(events && { events: events.kept, droppedEvents: events.dropped }),
    ...(failure && { failure: failure.message }),
  });
}

/**
 * Records the end of an invocation as a span without a duration, below its start.
 * @param segment the final segment, already durable
 */
export function traceEnd(engine: Engine, { acceptance, attempts }: Invocation, { writtenAtMs, after }: Segment): void {
  if (engine.tracer === undefined || after.kind !== "completed") return;
  const { traceId, spanId: parentSpanId, sampled } = invocationContext(engine, acceptance);
  if (!sampled) return;
  // Another task of this process may end an invocation in the middle of its first attempt, which no segment shows yet.
  const begun = engine.activeInvocations.find(acceptance.id)?.invocation.attempts ?? attempts;
  if (begun === 0) traceStart(engine, acceptance, writtenAtMs);
  const failure = after.result.kind === "failure" ? after.result.failure : undefined;
  record(engine.tracer, `invocation-end ${nameOf(acceptance.target)}`, {
    traceId,
    spanId: hex(engine.ids.derive(["span-end", acceptance.id, acceptance.nonce], SPAN_ID_BYTES)),
    parentSpanId,
    kind: "internal",
    startedAtMs: writtenAtMs,
    endedAtMs: writtenAtMs,
    attributes: {
      ...attributesOf(acceptance),
      "restate.invocation.result": after.result.kind,
      ...(after.killed && { "stepwell.invocation.killed": true }),
      ...(failure && {
        "restate.invocation.error.code": String(failure.code),
        "error.type": String(failure.code),
        "error.message": clipped(failure.message),
      }),
    },
    ...(failure && { failure: failure.message }),
  });
}

function record(tracer: Tracer, name: string, span: Omit<Span, "name">): void {
  const { failure, ...rest } = span;
  tracer.record({ ...rest, name, ...(failure !== undefined && { failure: clipped(failure) }) });
}

function clipped(message: string): string {
  return message.slice(0, FAILURE_MAX_CHARS);
}

/** Has `{key}` in place of the key, because there would be as many names as objects. */
export function nameOf({ service, handler, key }: Target): string {
  return key === undefined ? `${service}/${handler}` : `${service}/{key}/${handler}`;
}

/** @param id absent if a request was refused before it had an id */
export function targetAttributes(target: Target, id: string | undefined): Span["attributes"] {
  return {
    "rpc.service": target.service,
    "rpc.method": target.handler,
    ...(id !== undefined && { "restate.invocation.id": id }),
    "restate.invocation.target": targetText(target),
    ...(target.scope !== undefined && { "stepwell.scope": target.scope }),
  };
}

function attributesOf({ id, target }: Acceptance): Span["attributes"] {
  return targetAttributes(target, id);
}
