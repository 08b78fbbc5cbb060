/**
 * A collector for tests: receives OTLP over HTTP or over gRPC, answers with a chosen status, and keeps the spans if that status is
 * 200.
 */
import { createServer } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { startServer } from "../../harness/https/peer.ts";
import { SEEN_WITHIN_MS } from "../../patience.ts";
import { readSpans, type ReadSpan } from "./otlp-wire.ts";

const POLL_EVERY_MS = 10;
const GRPC_PREFIX_BYTES = 5;

export interface OtlpReceiver {
  readonly uri: string;
  /** Accepted spans. */
  readonly spans: readonly ReadSpan[];
  /** Path and content type of each request. */
  readonly requests: readonly string[];
  /** The status of answers; undefined leaves requests unanswered. */
  status: number | undefined;
  /** Waits until `count` spans of that name have arrived. */
  seen(name: string, count?: number): Promise<readonly ReadSpan[]>;
  /** The names of a span's descendants, indented by two spaces per level, siblings ordered by name. */
  tree(parentSpanId: string): string[];
}

type Mutable = OtlpReceiver & { uri: string };

/** The receiver stops at the end of the test that opened it. */
export async function openReceiver(): Promise<OtlpReceiver> {
  const { receiver, take } = newReceiver();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const status = take(`${request.url} ${request.headers["content-type"]}`, Buffer.concat(pieces));
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  const peer = await startServer(server);
  onTestFinished(() => peer.stop());
  receiver.uri = peer.uri;
  return receiver;
}

/** The status 200 becomes the gRPC status 0, any other status the gRPC status 14 (unavailable). */
export async function openGrpcReceiver(): Promise<OtlpReceiver> {
  const { receiver, take } = newReceiver();
  const server = createHttp2Server();
  server.on("stream", (stream: ServerHttp2Stream, fields) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => {
      const frame = Buffer.concat(pieces);
      const length = frame.readUInt32BE(1);
      if (frame[0] !== 0 || frame.length !== GRPC_PREFIX_BYTES + length) throw new Error("no message of gRPC");
      const told = [":method", ":path", "content-type", "te", "x-key"].map((name) => String(fields[name])).join(" ");
      const status = take(told, frame.subarray(GRPC_PREFIX_BYTES));
      if (status === undefined) return;
      stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
      stream.on("wantTrailers", () =>
        stream.sendTrailers(status === 200 ? { "grpc-status": "0" } : { "grpc-status": "14", "grpc-message": "busy" }),
      );
      stream.end(Buffer.alloc(GRPC_PREFIX_BYTES));
    });
  });
  const peer = await startServer(server);
  onTestFinished(() => peer.stop());
  receiver.uri = peer.uri.replace("http:", "grpc:");
  return receiver;
}

/** @returns `take` notes a request, and returns the status of its answer */
function newReceiver() {
  const spans: ReadSpan[] = [];
  const requests: string[] = [];
  const receiver: Mutable = {
    uri: "",
    spans,
    requests,
    status: 200,
    async seen(name, count = 1) {
      for (const untilMs = Date.now() + SEEN_WITHIN_MS; ; await pause(POLL_EVERY_MS)) {
        const found = spans.filter((span) => span.name === name);
        if (found.length >= count) return found;
        if (Date.now() > untilMs) throw new Error(`not seen: ${name}; seen: ${spans.map((span) => span.name).join()}`);
      }
    },
    tree(parentSpanId) {
      const below = spans.filter((span) => span.parentSpanId === parentSpanId);
      return below
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap(({ name, spanId }) => [name, ...receiver.tree(spanId).map((line) => `  ${line}`)]);
    },
  };
  const take = (request: string, message: Uint8Array): number | undefined => {
    requests.push(request);
    if (receiver.status === 200) spans.push(...readSpans(message));
    return receiver.status;
  };
  return { receiver, take };
}
