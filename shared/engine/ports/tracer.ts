/** The port of traces: spans are told when they are over, so that a process that dies leaves none open. */

/** `server`: somebody waits for it. `client`: it waits for a deployment. */
export type SpanKind = "server" | "client" | "internal";

export interface Span {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Absent at the root of a trace. */
  readonly parentSpanId?: string;
  readonly kind: SpanKind;
  /** Few of them: what differs from one to the next is in the attributes. */
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Dotted names in lower case. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it counts as failed; absent where it does not. */
  readonly failure?: string;
}

export interface Tracer {
  /** Returns at once and never throws. What cannot be told in time is dropped: spans are hints, and nothing rests on them. */
  tell(span: Span): void;
  /**
   * Resolves when everything told so far has been taken, or after `waitMaxMs`; at once where the last try failed, because
   * whoever asks is about to end or to answer. Never rejects.
   */
  flush(waitMaxMs: number): Promise<void>;
}
