/** A collector for tests: receives OTLP over HTTP, answers with a chosen status, and keeps the spans if that status is 200. */
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { startServer } from "../../harness/https/peer.ts";
import { SEEN_WITHIN_MS } from "../../patience.ts";
import { readSpans } from "./otlp-wire.ts";
import type { ReadSpan } from "./otlp-wire.ts";

const POLL_EVERY_MS = 10;

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

/** The receiver stops at the end of the test that opened it. */
export async function openReceiver(): Promise<OtlpReceiver> {
  const spans: ReadSpan[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      requests.push(`${request.url} ${request.headers["content-type"]}`);
      if (receiver.status === undefined) return;
      if (receiver.status === 200) spans.push(...readSpans(Buffer.concat(pieces)));
      response.writeHead(receiver.status).end();
    });
  });
  const peer = await startServer(server);
  onTestFinished(() => peer.stop());
  const receiver: OtlpReceiver = {
    uri: peer.uri,
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
  return receiver;
}
