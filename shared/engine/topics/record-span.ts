/** The span of accepting a record, between the trace of its producer and the invocation. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import { readTraceparent, traceparentText } from "../../core/model/trace-context.ts";
import type { RecordOrigin } from "../../core/topics/topic-record.ts";
import type { Engine } from "../engine.ts";
import { contextBelow, nameOf, targetAttributes } from "../traces.ts";

export interface RecordSpan {
  /** The trace context of the invocation. */
  readonly traceparent?: string;
  end(id: InvocationId): void;
}

/** @param traceparent the trace context of the record */
export function recordSpan(
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
