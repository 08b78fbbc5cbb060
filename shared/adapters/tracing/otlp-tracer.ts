/** Sends spans to a collector: OpenTelemetry's processor batches them, an exporter sends protobuf over HTTP or gRPC. */
import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from "@opentelemetry/api";
import { parseKeyPairsIntoRecord } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes, type Resource } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../../engine/ports/log.ts";
import type { Span, Tracer } from "../../engine/ports/tracer.ts";
import type { IncomingHttpHeaders } from "node:http";
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";

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

/**
 * Sends batches of spans to a collector by OTLP over gRPC: each batch is one unary call on a connection of HTTP/2 that stays open
 * (https://opentelemetry.io/docs/specs/otlp/#otlpgrpc).
 */
type Callback = Parameters<SpanExporter["export"]>[1];

const METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/** A message begins with a byte that says whether it is compressed, and with its length. */
const PREFIX_BYTES = 5;
const GRPC_OK = "0";
const SUCCESS = 0;
const FAILED = 1;
const HTTP_OK = 200;

interface GrpcExporterOptions {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A call that takes longer is ended. */
  readonly timeoutMs: number;
}

class GrpcExporter implements SpanExporter {
  readonly #options: GrpcExporterOptions;
  #session: ClientHttp2Session | undefined;

  constructor(options: GrpcExporterOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], callback: Callback): void {
    const message = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
    this.#call(message).then(
      () => callback({ code: SUCCESS }),
      (error: Error) => callback({ code: FAILED, error }),
    );
  }

  async shutdown(): Promise<void> {
    this.#session?.close();
  }

  /** @throws Error with the status of the call, or with the failure of the connection */
  async #call(message: Uint8Array): Promise<void> {
    const { headers, timeoutMs } = this.#options;
    const stream = this.#open().request({
      ...headers,
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: METHOD,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc+proto",
      [constants.HTTP2_HEADER_TE]: "trailers",
      "grpc-timeout": `${timeoutMs}m`,
    });
    const timer = setTimeout(() => stream.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      stream.end(framed(message));
      await accepted(stream);
    } finally {
      clearTimeout(timer);
      stream.close();
    }
  }

  #open(): ClientHttp2Session {
    const open = this.#session;
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const session = connect(this.#options.origin);
    // The error of a connection reaches the streams that are open on it.
    session.on("error", () => session.destroy());
    session.on("goaway", () => session.close());
    // Spans alone do not keep the process alive.
    session.unref();
    this.#session = session;
    return session;
  }
}

function framed(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** The status is in the trailers, or in the headers of an answer without a message. The message itself is not read. */
async function accepted(stream: ClientHttp2Stream): Promise<void> {
  return await new Promise((resolve, reject) => {
    let reason = "the collector ended the call without a status";
    const note = (fields: IncomingHttpHeaders): void => {
      const status = fields["grpc-status"]?.toString();
      if (status === GRPC_OK) resolve();
      else if (status !== undefined) reason = `gRPC status ${status}: ${fields["grpc-message"]?.toString() ?? ""}`;
    };
    stream.on("response", (fields) => {
      const status = fields[":status"];
      if (status !== HTTP_OK) reason = `HTTP status ${status}`;
      note(fields);
    });
    stream.on("trailers", note);
    stream.on("data", () => undefined);
    stream.on("error", reject);
    stream.on("close", () => reject(new Error(reason)));
  });
}

/** The result of a successful export. */
const TAKEN: Parameters<Callback>[0] = { code: 0 };

class WatchedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #url: string;
  readonly #log: Log;
  #underWay = 0;
  #lost = 0;
  #isFailing = false;
  #settled: (() => void)[] = [];

  /** @param url the collector's address, for the log */
  constructor(inner: SpanExporter, url: string, log: Log) {
    this.#inner = inner;
    this.#url = url;
    this.#log = log;
  }

  /** True if the collector did not accept the last batch. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  export(spans: ReadableSpan[], callback: Callback): void {
    this.#underWay += 1;
    this.#inner.export(spans, ({ code, error }) => {
      this.#note(code === TAKEN.code, spans.length, error);
      callback(TAKEN);
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#settled.splice(0)) resolve();
    });
  }

  /** Resolves when no batch is under way. */
  async settled(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  async shutdown(): Promise<void> {
    await this.#inner.shutdown();
  }

  #note(taken: boolean, spans: number, error: Error | undefined): void {
    if (!taken) {
      this.#lost += spans;
      if (!this.#isFailing) {
        this.#log.write("span.export-failed", {
          to: this.#url,
          reason: error?.message ?? "unknown",
        });
      }
    } else if (this.#isFailing) {
      this.#log.write("span.export-recovered", { to: this.#url, lost: this.#lost });
      this.#lost = 0;
    }
    this.#isFailing = !taken;
  }
}
