/** Tests spans for a collector: their content, and that a failing or slow collector harms no caller. */
import { expect, test } from "vitest";
import { OtlpTracer } from "../../../shared/adapters/tracing/otlp-tracer.ts";
import type { Span } from "../../../shared/engine/ports/tracer.ts";
import { RecordingLog } from "../../recording-log.ts";
import { openGrpcReceiver, openReceiver } from "./otlp-receiver.ts";

const LONG_MS = 20_000;
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

function span(name: string, more: Partial<Span> = {}): Span {
  const own = { traceId: TRACE_ID, spanId: "00f067aa0ba902b7", kind: "internal", name } as const;
  return { ...own, startedAtMs: 1_700_000_000_001, endedAtMs: 1_700_000_000_999, attributes: {}, ...more };
}

function newTracer(
  endpoint: string,
  environment: Record<string, string> = {},
): { tracer: OtlpTracer; log: RecordingLog } {
  const log = new RecordingLog();
  return { tracer: new OtlpTracer({ endpoint, clusterName: "test", environment, log }), log };
}

/** The address as the setting gives it: it always has a path. */
const tracesOf = ({ uri }: { readonly uri: string }): string => (uri.startsWith("grpc") ? uri : `${uri}/v1/traces`);

test("a span arrives with all its fields", async () => {
  const receiver = await openReceiver();
  const { tracer } = newTracer(tracesOf(receiver));
  const attributes = { "rpc.service": "S", "stepwell.attempt.number": 3 };
  const cause = { traceId: "1af7651916cd43dd8448eb211c80319d", spanId: "2222222222222222" };
  const events = [{ name: "happened", atMs: 1_700_000_000_500, attributes: { step: "one" } }];
  const more = { attributes, events, droppedEvents: 7, cause, failure: "boom" };
  tracer.record(span("all", { parentSpanId: "1111111111111111", kind: "client", ...more }));
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
    links: [] as string[],
    events: [] as typeof events,
    droppedEvents: 0,
    service: "Restate",
  };
  const links = [`${cause.traceId} ${cause.spanId}`];
  const all = { name: "all", parentSpanId: "1111111111111111", kind: 3, attributes, links, status: 2, message: "boom" };
  expect(receiver.spans).toEqual([{ ...least, ...all, events, droppedEvents: 7 }, least]);
});

test("spans go out without a flush", async () => {
  const receiver = await openReceiver();
  newTracer(tracesOf(receiver)).tracer.record(span("unhurried"));
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
  const { tracer, log } = newTracer(tracesOf(receiver));
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
  const { tracer } = newTracer(tracesOf(receiver));
  tracer.record(span("one"));
  await tracer.flush(1);
  expect(receiver.spans).toEqual([]);
});

test("a collector over gRPC gets the same spans, with the headers of the standard variable, on one connection", async () => {
  const receiver = await openGrpcReceiver();
  const { tracer } = newTracer(tracesOf(receiver), { OTEL_EXPORTER_OTLP_HEADERS: "X-Key=secret" });
  for (const name of ["first", "second"]) {
    tracer.record(span(name));
    await tracer.flush(LONG_MS);
  }
  const call =
    "POST /opentelemetry.proto.collector.trace.v1.TraceService/Export application/grpc+proto trailers secret";
  expect(receiver.requests).toEqual([call, call]);
  expect(receiver.spans.map(({ name }) => name)).toEqual(["first", "second"]);
});

test("a gRPC collector that refuses a batch is logged with its status, and gets the next batch", async () => {
  const receiver = await openGrpcReceiver();
  const { tracer, log } = newTracer(tracesOf(receiver));
  receiver.status = 503;
  tracer.record(span("refused"));
  await tracer.flush(LONG_MS);
  receiver.status = 200;
  tracer.record(span("accepted"));
  await receiver.seen("accepted");
  await expect.poll(() => log.lines.map(({ level }) => level)).toEqual(["warn", "info"]);
  expect(log.lines[0]!.fields).toEqual({ to: tracer.url, reason: "gRPC status 14: busy" });
});

test.each(["grpc://127.0.0.1:1", "grpcs://127.0.0.1:1"])(
  "%s without a listener loses the batch with a warning",
  async (uri) => {
    const { tracer, log } = newTracer(uri);
    tracer.record(span("lost"));
    await tracer.flush(LONG_MS);
    expect(log.lines.map(({ event }) => event)).toEqual(["span.export-failed"]);
  },
);

test("OTEL_SERVICE_NAME names the service of the spans", async () => {
  const receiver = await openReceiver();
  newTracer(tracesOf(receiver), { OTEL_SERVICE_NAME: "orders" }).tracer.record(span("named"));
  expect(await receiver.seen("named")).toMatchObject([{ service: "orders" }]);
});
