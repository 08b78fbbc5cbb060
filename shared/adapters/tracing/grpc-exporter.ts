/**
 * Sends batches of spans to a collector by OTLP over gRPC: each batch is one unary call on a connection of HTTP/2 that stays open
 * (https://opentelemetry.io/docs/specs/otlp/#otlpgrpc).
 */
import type { IncomingHttpHeaders } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

type Callback = Parameters<SpanExporter["export"]>[1];

const METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/** A message begins with a byte that says whether it is compressed, and with its length. */
const PREFIX_BYTES = 5;
const GRPC_OK = "0";
const SUCCESS = 0;
const FAILED = 1;
const HTTP_OK = 200;

export interface GrpcExporterOptions {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A call that takes longer is ended. */
  readonly timeoutMs: number;
}

export class GrpcExporter implements SpanExporter {
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
