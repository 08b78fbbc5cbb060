/** The port of traces: a span is reported when it is over, so that a process that dies leaves none open. */

/**
 * The kind of operation that a span records. `server`: Stepwell answers a caller. `client`: Stepwell sends a request to a
 * deployment. `consumer`: Stepwell accepts a record of a topic. `internal`: any other operation.
 */
export type SpanKind = "server" | "client" | "internal" | "consumer";

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

/** An event of a span: a name with a moment. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Span["attributes"];
}

export interface Span {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** 16 hexadecimal digits in lower case. */
  readonly spanId: string;
  /** Absent at the root of a trace. */
  readonly parentSpanId?: string;
  /** The span in another trace that caused this one; only at the root of a trace. */
  readonly cause?: SpanLink;
  readonly kind: SpanKind;
  /** One of a few names; the attributes contain the details that differ between spans. */
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Dotted names in lower case. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** In the order in which they happened; none by default. */
  readonly events?: readonly SpanEvent[];
  /** How many more events happened than `events` has. */
  readonly droppedEvents?: number;
  /** Why the span failed; absent if it did not. */
  readonly failure?: string;
}

export interface Tracer {
  /** Returns at once and never throws. A span that cannot be exported in time is dropped; the engine never depends on spans. */
  record(span: Span): void;
  /**
   * Resolves when all spans so far are exported, or after `waitMaxMs`. Resolves at once if the last export failed: the caller
   * is about to end or to answer, and does not wait for a failing collector. Never rejects.
   */
  flush(waitMaxMs: number): Promise<void>;
}
