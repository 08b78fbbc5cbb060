/** Tests which trace contexts of requests are valid, and that a written context is read back. */
import { expect, test } from "vitest";
import { readTraceparent, traceparentText } from "../../../shared/core/model/trace-context.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";

test.each([
  ["a sampled context", `00-${TRACE_ID}-${SPAN_ID}-01`, true],
  ["a context that is not sampled", `00-${TRACE_ID}-${SPAN_ID}-00`, false],
  ["a context with unknown flags", `00-${TRACE_ID}-${SPAN_ID}-fe`, false],
  ["a later version", `cc-${TRACE_ID}-${SPAN_ID}-03`, true],
  ["a later version with more behind", `cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-holds`, true],
])("%s is read", (_what, text, sampled) => {
  expect(readTraceparent(text)).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, sampled });
});

test.each([
  ["nothing", ""],
  ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN_ID}-01`],
  ["a span of zeros", `00-${TRACE_ID}-${"0".repeat(16)}-01`],
  ["the invalid version ff", `ff-${TRACE_ID}-${SPAN_ID}-01`],
  ["this version with more behind", `00-${TRACE_ID}-${SPAN_ID}-01-more`],
  ["capitals", `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
  ["a short id", `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
  ["no flags", `00-${TRACE_ID}-${SPAN_ID}`],
  ["a later version with more behind, but without a hyphen", `01-${TRACE_ID}-${SPAN_ID}-01.more`],
])("%s counts as absent", (_what, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test.each([true, false])("a written trace context is read back, sampled: %s", (sampled) => {
  const context = { traceId: TRACE_ID, spanId: SPAN_ID, sampled };
  expect(readTraceparent(traceparentText(context))).toEqual(context);
});
