/** The spans of invocations and their attempts; while traces are off, no span is reported. */
import type { Acceptance } from "../core/invocation/acceptance.ts";
import type { AttemptEnded } from "../core/invocation/event.ts";
import type { Segment } from "../core/invocation/segment.ts";
import { hex } from "../core/model/hex.ts";
import { readTraceparent, traceparentText, type TraceContext } from "../core/model/trace-context.ts";
import type { Engine } from "./engine.ts";
import type { ActiveInvocation } from "./local/active-invocation.ts";
import type { Span, Tracer } from "./ports/tracer.ts";

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** The message of a failure comes from the handler, and may have megabytes. */
const FAILURE_MAX_CHARS = 1_000;

/**
 * Every process derives the same id for the span of an invocation, so that the attempts of all drivers are below that span. The
 * trace id is the caller's, or comes from the same derivation (I7). The derivation includes the invocation id, because a restart
 * that keeps the journal also keeps the nonce.
 */
export function invocationContext({ ids }: Engine, { id, nonce, traceparent }: Acceptance): TraceContext {
  const bytes = ids.derive(["span", id, nonce], SPAN_ID_BYTES + TRACE_ID_BYTES);
  const caller = traceparent === undefined ? undefined : readTraceparent(traceparent);
  return {
    traceId: caller?.traceId ?? hex(bytes.subarray(SPAN_ID_BYTES)),
    spanId: hex(bytes.subarray(0, SPAN_ID_BYTES)),
    sampled: caller?.sampled ?? true,
  };
}

/** The trace context for callees: the invocation's own span if traces are on, else the context of its acceptance. */
export function traceparentBelow(engine: Engine, acceptance: Acceptance): string | undefined {
  if (engine.tracer === undefined) return acceptance.traceparent;
  return traceparentText(invocationContext(engine, acceptance));
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

/** Each try of an attempt gets another span: two drivers may try the same attempt, or a driver tries it again after a crash. */
export function beginAttempt(engine: Engine, active: ActiveInvocation): void {
  active.attempt.beginSpan(contextBelow(engine, invocationContext(engine, active.invocation.acceptance)));
}

export function traceAttempt(engine: Engine, active: ActiveInvocation, { attempt, ending, pin }: AttemptEnded): void {
  const { span } = active.attempt;
  active.attempt.endSpan();
  if (engine.tracer === undefined || span?.sampled !== true) return;
  const { acceptance } = active.invocation;
  const failure = ending.kind === "failed" ? ending.failure : undefined;
  record(engine.tracer, `attempt ${nameOf(acceptance)}`, {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: invocationContext(engine, acceptance).spanId,
    kind: "client",
    startedAtMs: attempt.startedAtMs,
    endedAtMs: attempt.endedAtMs,
    attributes: {
      ...attributesOf(acceptance),
      "stepwell.attempt.number": attempt.number,
      "stepwell.attempt.ending": active.lease.isLost ? "lost" : ending.kind,
      ...(pin.deploymentId !== "" && { "stepwell.deployment.id": pin.deploymentId }),
      ...(failure && { "error.type": failure.errorCode }),
    },
    ...(failure && { failure: failure.message }),
  });
}

/** @param segment the final segment, already durable */
export function traceInvocation(engine: Engine, acceptance: Acceptance, { writtenAtMs, after }: Segment): void {
  if (engine.tracer === undefined || after.kind !== "completed") return;
  const { traceId, spanId, sampled } = invocationContext(engine, acceptance);
  if (!sampled) return;
  const caller = acceptance.traceparent === undefined ? undefined : readTraceparent(acceptance.traceparent);
  const failure = after.result.kind === "failure" ? after.result.failure : undefined;
  record(engine.tracer, nameOf(acceptance), {
    traceId,
    spanId,
    ...(caller && { parentSpanId: caller.spanId }),
    kind: "internal",
    startedAtMs: acceptance.createdAtMs,
    endedAtMs: writtenAtMs,
    attributes: {
      ...attributesOf(acceptance),
      "stepwell.invocation.source": acceptance.source.kind,
      "stepwell.invocation.result": after.killed ? "killed" : after.result.kind,
      ...(failure && { "error.type": String(failure.code) }),
    },
    ...(failure && { failure: failure.message }),
  });
}

function record(tracer: Tracer, name: string, span: Omit<Span, "name">): void {
  const { failure, ...rest } = span;
  tracer.record({ ...rest, name, ...(failure !== undefined && { failure: failure.slice(0, FAILURE_MAX_CHARS) }) });
}

/** Leaves out the key, because there would be as many names as objects. */
export function nameOf({ target }: Pick<Acceptance, "target">): string {
  return `${target.service}/${target.handler}`;
}

function attributesOf({ id, target }: Acceptance): Span["attributes"] {
  return { "stepwell.invocation.id": id, "stepwell.service": target.service, "stepwell.handler": target.handler };
}
