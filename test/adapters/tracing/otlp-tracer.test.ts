/** Tests spans for a collector: their content, and that a failing or slow collector harms no caller. */
import { expect, test } from "vitest";
import { OtlpTracer } from "../../../shared/adapters/tracing/otlp-tracer.ts";
import type { Span } from "../../../shared/engine/ports/tracer.ts";
import { RecordingLog } from "../../recording-log.ts";
import { openReceiver } from "./otlp-receiver.ts";

const LONG_MS = 20_000;
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

function span(name: string, more: Partial<Span> = {}): Span {
  const own = { traceId: TRACE_ID, spanId: "00f067aa0ba902b7", kind: "internal", name } as const;
  return { ...own, startedAtMs: 1_700_000_000_001, endedAtMs: 1_700_000_000_999, attributes: {}, ...more };
}

function newTracer(endpoint: string): { tracer: OtlpTracer; log: RecordingLog } {
  const log = new RecordingLog();
  return { tracer: new OtlpTracer({ endpoint, clusterName: "test", log }), log };
}

test("a span arrives with all its fields", async () => {
  const receiver = await openReceiver();
  const { tracer } = newTracer(receiver.uri);
  const attributes = { "stepwell.service": "S", "stepwell.attempt.number": 3 };
  tracer.record(span("all", { parentSpanId: "1111111111111111", kind: "client", attributes, failure: "boom" }));
  tracer.record(span("least", { kind: "server" }));
  await tracer.flush(LONG_MS);
  expect(receiver.requests).toEqual(["/v1/traces application/x-protobuf"]);
  const least = {
    traceId: TRACE_ID,
    spanId: "00f067aa0ba902b7",
    parentSpanId: "",
    name: "least",
    kind: 2,
    startedAtMs: 1_700_000_000_001,
    endedAtMs: 1_700_000_000_999,
    attributes: {},
    status: 0,
    message: "",
    service: "stepwell",
  };
  const all = { name: "all", parentSpanId: "1111111111111111", kind: 3, attributes, status: 2, message: "boom" };
  expect(receiver.spans).toEqual([{ ...least, ...all }, least]);
});

test("spans go out without a flush", async () => {
  const receiver = await openReceiver();
  newTracer(receiver.uri).tracer.record(span("unhurried"));
  expect(await receiver.seen("unhurried")).toHaveLength(1);
});

test("a configured path is used unchanged", async () => {
  const receiver = await openReceiver();
  const { tracer } = newTracer(`${receiver.uri}/tenant/otlp?key=secret`);
  tracer.record(span("one"));
  await tracer.flush(LONG_MS);
  expect(receiver.requests[0]).toMatch(/^\/tenant\/otlp\?key=secret /);
  expect(tracer.url).toBe(`${receiver.uri}/tenant/otlp`);
});

test("a refusing collector is logged once, and once more when it accepts spans again", async () => {
  const receiver = await openReceiver();
  const { tracer, log } = newTracer(receiver.uri);
  receiver.status = 400;
  for (const [at, name] of ["first", "second"].entries()) {
    tracer.record(span(name));
    await tracer.flush(LONG_MS);
    await expect.poll(() => receiver.requests.length).toBe(at + 1);
  }
  receiver.status = 200;
  tracer.record(span("third"));
  await receiver.seen("third");
  await expect.poll(() => log.lines.map(({ level }) => level)).toEqual(["warn", "info"]);
  expect(log.lines[0]!.fields).toEqual({ to: tracer.url, reason: expect.any(String) });
  expect(log.lines[1]!.fields).toEqual({ to: tracer.url, lost: 2 });
  expect(receiver.spans.map(({ name }) => name)).toEqual(["third"]);
});

test("a flush to a collector without answers ends at its limit", async () => {
  const receiver = await openReceiver();
  receiver.status = undefined;
  const { tracer } = newTracer(receiver.uri);
  tracer.record(span("one"));
  await tracer.flush(1);
  expect(receiver.spans).toEqual([]);
});
