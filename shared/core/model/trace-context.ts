/** Reads and writes the header `traceparent` of W3C: trace, parent span, and whether the trace is recorded. */

export interface TraceContext {
  /** 32 hexadecimal digits in lower case, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits in lower case, not all zero. */
  readonly spanId: string;
  /** False if the origin of the trace does not record the trace. Then no span below the parent span is recorded either. */
  readonly sampled: boolean;
}

/** Version, trace id, span id and flags. Later versions may append more. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED_BIT = 1;

/** @returns undefined if the header is invalid; the caller then treats it as absent */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED_BIT) !== 0 };
}

export function traceparentText({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

function isZero(digits: string): boolean {
  return /^0+$/.test(digits);
}
