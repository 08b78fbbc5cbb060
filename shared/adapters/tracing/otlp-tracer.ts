/** Sends spans to a collector: OpenTelemetry's processor batches them, an exporter sends protobuf over HTTP or gRPC. */
import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import type { HrTime, SpanContext } from "@opentelemetry/api";
import { parseKeyPairsIntoRecord } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { Resource } from "@opentelemetry/resources";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../../engine/ports/log.ts";
import type { Span, Tracer } from "../../engine/ports/tracer.ts";
import { GrpcExporter } from "./grpc-exporter.ts";
import { WatchedExporter } from "./watched-exporter.ts";

export interface OtlpTracerOptions {
  /** `http://…` or `https://…` with a path, `grpc://host:port` or `grpcs://host:port`, as the setting has it. */
  readonly endpoint: string;
  readonly clusterName: string;
  /** The standard variables of OpenTelemetry. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

const SCOPE = { name: "stepwell" };
/**
 * The name and namespace of the reference server, so that dashboards and queries for it find these spans. The standard variable
 * OTEL_SERVICE_NAME replaces the name.
 */
const REFERENCE = "Restate";
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
  constructor({ endpoint, clusterName, environment, log }: OtlpTracerOptions) {
    const url = new URL(endpoint);
    this.url = `${url.protocol}//${url.host}${url.pathname}`;
    this.#exporter = new WatchedExporter(exporterTo(url, environment), this.url, log);
    this.#processor = new BatchSpanProcessor({
      exporter: this.#exporter,
      scheduledDelayMillis: SEND_EVERY_MS,
      // A second limit, in case the exporter does not stop by itself.
      exportTimeoutMillis: 2 * TAKEN_WITHIN_MS,
      maxQueueSize: WAITING_SPANS_MAX,
    });
    this.#resource = resourceFromAttributes({
      "service.name": environment["OTEL_SERVICE_NAME"] ?? REFERENCE,
      "service.namespace": REFERENCE,
      "service.instance.id": clusterName,
    });
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

/** Both exporters send the headers of the standard variables, such as OTEL_EXPORTER_OTLP_HEADERS; that over HTTP reads them itself. */
function exporterTo(url: URL, environment: OtlpTracerOptions["environment"]): SpanExporter {
  if (!url.protocol.startsWith("grpc")) return new OTLPTraceExporter({ url: url.href, timeoutMillis: TAKEN_WITHIN_MS });
  const { OTEL_EXPORTER_OTLP_HEADERS: all, OTEL_EXPORTER_OTLP_TRACES_HEADERS: ofTraces } = environment;
  const headers = Object.entries({ ...parseKeyPairsIntoRecord(all), ...parseKeyPairsIntoRecord(ofTraces) });
  return new GrpcExporter({
    origin: `${url.protocol === "grpcs:" ? "https" : "http"}://${url.host}`,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    timeoutMs: TAKEN_WITHIN_MS,
  });
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
    links:
      span.cause === undefined ? [] : [{ context: { ...span.cause, traceFlags: TraceFlags.SAMPLED }, attributes: {} }],
    events: (span.events ?? []).map(({ name, atMs, attributes }) => ({ name, time: timeOf(atMs), attributes })),
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents ?? 0,
    droppedLinksCount: 0,
  };
}

/** Whole seconds, and the rest in nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
