/** Sends spans to a collector: OpenTelemetry's processor batches them, its OTLP exporter sends protobuf over HTTP. */
import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import type { HrTime, SpanContext } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { Resource } from "@opentelemetry/resources";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Log } from "../../engine/ports/log.ts";
import type { Span, Tracer } from "../../engine/ports/tracer.ts";
import { WatchedExporter } from "./watched-exporter.ts";

export interface OtlpTracerOptions {
  /** The address of the collector; without a path, `/v1/traces` is added. */
  readonly endpoint: string;
  readonly clusterName: string;
  readonly log: Log;
}

const TRACES_PATH = "/v1/traces";
const SCOPE = { name: "stepwell" };
const SEND_EVERY_MS = 1_000;
/** A batch that the collector does not accept within this time, which includes retries, is dropped. */
const TAKEN_WITHIN_MS = 3_000;
/** Limits the memory for spans while the collector is down. */
const WAITING_SPANS_MAX = 4_096;
const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
} as const;

export class OtlpTracer implements Tracer {
  /** The address of the collector, without credentials. */
  readonly url: string;
  readonly #exporter: WatchedExporter;
  readonly #processor: BatchSpanProcessor;
  readonly #resource: Resource;

  /** @throws TypeError if the endpoint is no URL */
  constructor({ endpoint, clusterName, log }: OtlpTracerOptions) {
    const url = new URL(endpoint);
    if (url.pathname === "/") url.pathname = TRACES_PATH;
    this.url = `${url.origin}${url.pathname}`;
    this.#exporter = new WatchedExporter(
      new OTLPTraceExporter({ url: url.href, timeoutMillis: TAKEN_WITHIN_MS }),
      this.url,
      log,
    );
    this.#processor = new BatchSpanProcessor({
      exporter: this.#exporter,
      scheduledDelayMillis: SEND_EVERY_MS,
      // A second limit, in case the exporter does not stop by itself.
      exportTimeoutMillis: 2 * TAKEN_WITHIN_MS,
      maxQueueSize: WAITING_SPANS_MAX,
    });
    this.#resource = resourceFromAttributes({ "service.name": "stepwell", "service.namespace": clusterName });
  }

  record(span: Span): void {
    this.#processor.onEnd(readable(span, this.#resource));
  }

  async flush(waitMaxMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMaxMs)));
    const sent = this.#processor.forceFlush().catch(() => undefined);
    // If the last export failed, `flush` does not wait for the collector; the spans go out in the background.
    if (!this.#exporter.isFailing) await Promise.race([Promise.all([sent, this.#exporter.settled()]), over]);
    clearTimeout(timer);
  }
}

/** The span in the form that the exporter reads. */
function readable(span: Span, resource: Resource): ReadableSpan {
  const { traceId, parentSpanId } = span;
  const context: SpanContext = { traceId, spanId: span.spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parentSpanId !== undefined && {
      parentSpanContext: {
        traceId,
        spanId: parentSpanId,
        traceFlags: TraceFlags.SAMPLED,
        isRemote: span.kind === "server",
      },
    }),
    startTime: timeOf(span.startedAtMs),
    endTime: timeOf(span.endedAtMs),
    duration: timeOf(Math.max(0, span.endedAtMs - span.startedAtMs)),
    status:
      span.failure === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.failure },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Whole seconds, and the rest in nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
